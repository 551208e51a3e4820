extension QuestionList {
    /// Version 1: 48 questions. Texts, order and weights are frozen; a test compares their hash.
    ///
    /// The weights are an estimate of how often users choose a question, not a measurement.
    static let version1 = QuestionList(version: 1, entries: version1Entries)

    private static let version1Entries: [Entry] = [
        Entry(
            weight: 12, en: "What was the name of your first pet?",
            de: "Wie hieß Ihr erstes Haustier?",
            fr: "Comment s'appelait votre premier animal de compagnie ?"),
        Entry(
            weight: 10, en: "In what city were you born?",
            de: "In welcher Stadt wurden Sie geboren?",
            fr: "Dans quelle ville êtes-vous né(e) ?"),
        Entry(
            weight: 10, en: "What is your mother's maiden name?",
            de: "Wie lautet der Mädchenname Ihrer Mutter?",
            fr: "Quel est le nom de jeune fille de votre mère ?"),
        Entry(
            weight: 8, en: "What was the name of your first school?",
            de: "Wie hieß Ihre erste Schule?",
            fr: "Comment s'appelait votre première école ?"),
        Entry(
            weight: 8, en: "What was the make of your first car?",
            de: "Von welcher Marke war Ihr erstes Auto?",
            fr: "De quelle marque était votre première voiture ?"),
        Entry(
            weight: 8, en: "What is the name of the street you grew up on?",
            de: "Wie heißt die Straße, in der Sie aufgewachsen sind?",
            fr: "Comment s'appelle la rue où vous avez grandi ?"),
        Entry(
            weight: 8, en: "What was the name of your first teacher?",
            de: "Wie hieß Ihre erste Lehrkraft?",
            fr: "Comment s'appelait la première personne qui vous a fait la classe ?"),
        Entry(
            weight: 4, en: "Which book have you read more than once?",
            de: "Welches Buch haben Sie mehr als einmal gelesen?",
            fr: "Quel livre avez-vous lu plus d'une fois ?"),
        Entry(
            weight: 4, en: "Which film have you watched most often?",
            de: "Welchen Film haben Sie am häufigsten gesehen?",
            fr: "Quel film avez-vous vu le plus souvent ?"),
        Entry(
            weight: 5, en: "What was your favorite dish as a child?",
            de: "Was war als Kind Ihr Lieblingsgericht?",
            fr: "Quel était votre plat préféré dans votre enfance ?"),
        Entry(
            weight: 6, en: "Where did you first meet your partner?",
            de: "Wo sind Sie Ihrem Partner oder Ihrer Partnerin zum ersten Mal begegnet?",
            fr: "Où avez-vous rencontré votre partenaire pour la première fois ?"),
        Entry(
            weight: 5, en: "What was your childhood nickname?",
            de: "Welchen Spitznamen hatten Sie als Kind?",
            fr: "Quel était votre surnom dans votre enfance ?"),
        Entry(
            weight: 8, en: "What is the name of your best childhood friend?",
            de: "Wie heißt Ihre beste Freundin oder Ihr bester Freund aus der Kindheit?",
            fr: "Comment s'appelle votre meilleur ami ou meilleure amie d'enfance ?"),
        Entry(
            weight: 6, en: "What was your first job?",
            de: "Was war Ihre erste Arbeit?",
            fr: "Quel a été votre premier emploi ?"),
        Entry(
            weight: 5, en: "Where did you go on your first vacation?",
            de: "Wohin ging Ihre erste Urlaubsreise?",
            fr: "Où êtes-vous allé(e) pour vos premières vacances ?"),
        Entry(
            weight: 6, en: "What is your father's middle name?",
            de: "Wie lautet der zweite Vorname Ihres Vaters?",
            fr: "Quel est le deuxième prénom de votre père ?"),
        Entry(
            weight: 4, en: "What is your oldest sibling's middle name?",
            de: "Wie lautet der zweite Vorname Ihres ältesten Geschwisters?",
            fr: "Quel est le deuxième prénom de l'aîné(e) de vos frères et sœurs ?"),
        Entry(
            weight: 8, en: "In what city did your parents meet?",
            de: "In welcher Stadt haben sich Ihre Eltern kennengelernt?",
            fr: "Dans quelle ville vos parents se sont-ils rencontrés ?"),
        Entry(
            weight: 6, en: "What was the name of your favorite stuffed animal?",
            de: "Wie hieß Ihr liebstes Kuscheltier?",
            fr: "Comment s'appelait votre peluche préférée ?"),
        Entry(
            weight: 3, en: "Which sports club did you first belong to?",
            de: "In welchem Sportverein waren Sie zuerst?",
            fr: "Quel a été votre premier club de sport ?"),
        Entry(
            weight: 4, en: "Who was your childhood hero?",
            de: "Wer war der Held Ihrer Kindheit?",
            fr: "Qui était le héros de votre enfance ?"),
        Entry(
            weight: 6, en: "What was the first concert you went to?",
            de: "Welches Konzert haben Sie als erstes besucht?",
            fr: "Quel est le premier concert auquel vous avez assisté ?"),
        Entry(
            weight: 3, en: "Which song did you first know by heart?",
            de: "Welches Lied konnten Sie als erstes auswendig?",
            fr: "Quelle chanson avez-vous sue par cœur en premier ?"),
        Entry(
            weight: 5, en: "What was the name of your secondary school?",
            de: "Wie hieß Ihre weiterführende Schule?",
            fr: "Comment s'appelait votre collège ou votre lycée ?"),
        Entry(
            weight: 3, en: "Where did you learn to swim?",
            de: "Wo haben Sie schwimmen gelernt?",
            fr: "Où avez-vous appris à nager ?"),
        Entry(
            weight: 6, en: "What is your grandmother's first name?",
            de: "Wie lautet der Vorname Ihrer Großmutter?",
            fr: "Quel est le prénom de votre grand-mère ?"),
        Entry(
            weight: 4, en: "What was your grandfather's occupation?",
            de: "Welchen Beruf hatte Ihr Großvater?",
            fr: "Quel était le métier de votre grand-père ?"),
        Entry(
            weight: 4, en: "What was the first album you bought?",
            de: "Welches Album haben Sie als erstes gekauft?",
            fr: "Quel est le premier album que vous avez acheté ?"),
        Entry(
            weight: 3, en: "What was the make of your first bicycle?",
            de: "Von welcher Marke war Ihr erstes Fahrrad?",
            fr: "De quelle marque était votre premier vélo ?"),
        Entry(
            weight: 4, en: "Which neighbor do you remember from your childhood?",
            de: "An welche Nachbarn aus Ihrer Kindheit erinnern Sie sich?",
            fr: "De quel voisin de votre enfance vous souvenez-vous ?"),
        Entry(
            weight: 6, en: "What is the last name of your favorite teacher?",
            de: "Wie lautet der Nachname Ihrer liebsten Lehrkraft?",
            fr: "Quel est le nom de famille de votre professeur préféré ?"),
        Entry(
            weight: 5, en: "What was the name of your first boss?",
            de: "Wie hieß Ihre erste Chefin oder Ihr erster Chef?",
            fr: "Comment s'appelait votre premier chef ?"),
        Entry(
            weight: 5, en: "In what town was your first job?",
            de: "In welchem Ort war Ihre erste Arbeitsstelle?",
            fr: "Dans quelle commune était votre premier emploi ?"),
        Entry(
            weight: 3, en: "Which place have you visited most often?",
            de: "Welchen Ort haben Sie am häufigsten besucht?",
            fr: "Quel endroit avez-vous visité le plus souvent ?"),
        Entry(
            weight: 5, en: "What did you want to become as a child?",
            de: "Was wollten Sie als Kind werden?",
            fr: "Quel métier vouliez-vous faire dans votre enfance ?"),
        Entry(
            weight: 3, en: "What is the name of the hospital where you were born?",
            de: "Wie heißt das Krankenhaus, in dem Sie geboren wurden?",
            fr: "Comment s'appelle l'hôpital où vous êtes né(e) ?"),
        Entry(
            weight: 5, en: "What was the first film you saw in a theater?",
            de: "Welchen Film haben Sie als ersten im Kino gesehen?",
            fr: "Quel est le premier film que vous avez vu au cinéma ?"),
        Entry(
            weight: 3, en: "What was the destination of your first flight?",
            de: "Wohin ging Ihr erster Flug?",
            fr: "Quelle était la destination de votre premier vol ?"),
        Entry(
            weight: 2, en: "Which piece of music did you first learn to play?",
            de: "Welches Musikstück haben Sie als erstes spielen gelernt?",
            fr: "Quel morceau de musique avez-vous d'abord appris à jouer ?"),
        Entry(
            weight: 3, en: "What did your family always eat on holidays?",
            de: "Was gab es in Ihrer Familie an Feiertagen immer zu essen?",
            fr: "Que mangeait-on toujours dans votre famille les jours de fête ?"),
        Entry(
            weight: 4, en: "What was the name of your first roommate?",
            de: "Wie hieß Ihre erste Mitbewohnerin oder Ihr erster Mitbewohner?",
            fr: "Comment s'appelait votre premier colocataire ?"),
        Entry(
            weight: 4, en: "What was the model of your first mobile phone?",
            de: "Welches Modell war Ihr erstes Mobiltelefon?",
            fr: "Quel était le modèle de votre premier téléphone portable ?"),
        Entry(
            weight: 3, en: "What is the maiden name of your mother-in-law?",
            de: "Wie lautet der Mädchenname Ihrer Schwiegermutter?",
            fr: "Quel est le nom de jeune fille de votre belle-mère ?"),
        Entry(
            weight: 3, en: "Where did you spend the New Year's Eve you remember best?",
            de: "Wo waren Sie an dem Silvester, an das Sie sich am besten erinnern?",
            fr: "Où étiez-vous lors du réveillon dont vous vous souvenez le mieux ?"),
        Entry(
            weight: 4, en: "What was the name of the first company you worked for?",
            de: "Wie hieß die erste Firma, für die Sie gearbeitet haben?",
            fr: "Comment s'appelait la première entreprise où vous avez travaillé ?"),
        Entry(
            weight: 3, en: "What is the middle name of your youngest child?",
            de: "Wie lautet der zweite Vorname Ihres jüngsten Kindes?",
            fr: "Quel est le deuxième prénom de votre plus jeune enfant ?"),
        Entry(
            weight: 3, en: "What was the last name of your third-grade teacher?",
            de: "Wie lautete der Nachname Ihrer Lehrkraft in der dritten Klasse?",
            fr: "Quel était le nom de famille de votre enseignant de CE2 ?"),
        Entry(
            weight: 3, en: "What was the first dish you learned to cook?",
            de: "Welches Gericht haben Sie als erstes kochen gelernt?",
            fr: "Quel est le premier plat que vous avez appris à cuisiner ?"),
    ]
}
