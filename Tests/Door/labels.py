"""What the walks look for on the pages. A page that changes is followed here and nowhere else.

`PARTS` finds a button, a link or a field by what the page's code calls it, whatever the language. `LABELS` names it in
the language of the reader where the code says too little. `SAYINGS` are sentences that a page shows or must not show.
"""

import re

PARTS = {
    "continue": "main form button[type=submit]:not(.second, [name=answer]), main form button:not([type], .second)",
    "join": "a[href*='/register/join']",
    "found": "a[href*='/register/found']",
    "trouble": "main a[href*='/recover']",
    "by address": "a[href*='/login/address']",
    "another account": "#other",
    "remembered": "main button.account",
    "forget": "main button.forget",
    "confirm my address": "form[action*='/account/address'] button",
    "log out": "form[action*='/account/logout'] button",
    "act": "form[data-arm] button.act",
    "deny": "button[name=answer][value=deny]",
    "refuse by mail": "button[name=answer][value=refuse]",
    "send mail": "#send",
    "instead": "form[data-wait] button",
    "code": "input[autocomplete=one-time-code], input[name=code]",
    "send code": "form:has(input[autocomplete=one-time-code]) button",
    "lost secret": "input[name=way][value=recovery]",
    "lost devices": "input[name=way][value=return]",
    "next question": "#next",
    "question": "main select[name^=question], main input[id^=question][list]",
    "answer": "main input[name^=answer]",
    "approvals": "a[href*='/account/approvals']",
    "approve": "a[href*='action=authorize'], a[href*='action=approve'], "
               "form:has(input[name=action][value=authorize]) button, button[name=action][value=authorize]",
    "refuse": "a[href*='action=refuse'], form:has(input[name=action][value=refuse]) button, "
              "button[name=action][value=refuse]",
    "open the recovery": "a[href*='action=open'], form:has(input[name=action][value=open]) button",
    "recoveries": "a[href*='/account/recoveries']",
    "remove": "form:has(input[name=action][value=revoke]) button, a[href*='action=revoke'], "
              "button[name=action][value=revoke]",
    "renew": "#renew",
    "words": "main .words",
    "problems": "main .problems, main [role=alert]",
    "credentials": "a[href*='/account/credentials']",
    "change credentials": "form[action*='/account/credentials'] button",
    "another device": "a[href*='/account/devices']:not(nav a), a[href*='second-device']",
    "new address": "a[href*='/account/address'], form[action*='/account/address'] input[name=email]",
    "not mine": "main a[href*='/flow/'][href$='/address']",
    "without": "button[name=answer][value=without]",
    "passkey": "#passkey button",
    "approved passkey": "form[data-passkey] button",
    "add passkey": "main a[href*='/account/passkeys']",
}

# By the language of the reader. A name in PARTS is found by either.
LABELS = {
    "by company": {
        "en": r"use company and user name|log in with your company", "de": r"firma und (benutzername|kennung)",
        "fr": r"entreprise et (le |votre )?(nom d.utilisateur|identifiant)"},
    "another account": {"en": r"^use another account", "de": r"^(ein )?anderes konto", "fr": r"^utiliser un autre"},
    "go on": {"en": r"^it is me|^go on$", "de": r"^das bin ich|^ich bin es|^weiter$", "fr": r"^c.est (bien )?moi|^continuer"},
    "start again": {
        "en": r"^(begin|start) again|^log in again", "de": r"^(noch einmal|neu|von vorn)", "fr": r"^recommencer"},
    "look": {
        "en": r"^look whether it is time|^(start|begin) again$|^check again$", "de": r"^nachsehen|^neu |^noch einmal",
        "fr": r"^voir|^recommencer|^vérifier"},
    "to the client": {
        "en": r"^(go on|back|continue) to ", "de": r"^(weiter|zurück) zu ", "fr": r"^(continuer|retour|aller)\b"},
    "go on to log out": {"en": r"^go on to log out", "de": r"abmelden$", "fr": r"déconnecter$"},
    "permissions": {"en": r"^permissions$", "de": r"^(app-berechtigungen|erlaubnisse)", "fr": r"^autorisations"},
}

SAYINGS = {
    "nothing to do": {
        "en": r"there is nothing that you have to do|nothing is waiting for you",
        "de": r"sie müssen nichts tun|nichts wartet auf sie", "fr": r"vous n.avez rien à faire|rien ne vous attend"},
    "nothing was changed": {
        "en": r"nothing was changed|has ended|expired|took longer|too late|too old",
        "de": r"nichts (wurde )?geändert|abgelaufen|zu spät", "fr": r"rien n.a (été )?changé|expiré|trop tard"},
    "not linked": {"en": r"has not linked", "de": r"nicht verknüpft", "fr": r"n.a pas (lié|relié|associé)"},
    "wait for the recovery": {"en": r"recovery waits|you can choose new questions from", "de": r"wartet", "fr": r"attend"},
    "logged in as": {"en": r"logged in as|hello", "de": r"angemeldet|hallo", "fr": r"connecté|bonjour"},
    "needs script": {"en": r"javascript", "de": r"javascript", "fr": r"javascript"},
    "needs stored data": {"en": r"stored data|javascript", "de": r"gespeichert|javascript", "fr": r"enregistr|javascript"},
    "the operator": {"en": r"\boperator\b|whoever runs", "de": r"betreib", "fr": r"exploitant|administrateur du service"},
    "limit of time": {"en": r"\b\d+ minutes|\ban hour", "de": r"\b\d+ minuten|\beine stunde", "fr": r"\b\d+ minutes|\bune heure"},
    "not these": {
        "en": r"are these your questions|check the address|check the company",
        "de": r"ihre fragen|prüfen sie die adresse", "fr": r"vos questions|vérifiez l.adresse"},
    "bound passkey": {
        "en": r"passkey, bound to", "de": r"passkey, an ein gerät oder", "fr": r"clé d.accès, liée à un"},
    "synced passkey": {
        "en": r"passkey, synced", "de": r"passkey, synchronisiert", "fr": r"clé d.accès synchronisée"},
    "has a passkey": {
        "en": r"has a passkey for this account", "de": r"schon ein passkey für dieses konto",
        "fr": r"a déjà une clé d.accès"},
    "passkey refused": {"en": r"nothing was done: ", "de": r"es ist nichts geschehen", "fr": r"rien n.a été fait"},
    "passkey unknown": {
        "en": r"passkey cannot log in here", "de": r"mit diesem passkey kann man sich hier nicht",
        "fr": r"clé d.accès ne permet pas"},
    "an error": {"en": r"^(error|problem)", "de": r"^(fehler|problem)", "fr": r"^(erreur|problème)"},
    "a final act": {
        "en": r"^(remove|refuse|revoke)\b", "de": r"^(entfernen|ablehnen|sperren)\b",
        "fr": r"^(supprimer|refuser|révoquer)\b"},
    "an act that may be final": {
        "en": r"^(remove|refuse|revoke|end|delete|block|withdraw|cancel|this was not me|no[, ]|do not|forget)",
        "de": r"(entfernen|ablehnen|sperren|beenden|löschen|zurückziehen|abbrechen|das war ich nicht|nein|nicht|vergessen)",
        "fr": r"^(supprimer|retirer|refuser|révoquer|terminer|effacer|annuler|ce n.était pas|non|ne pas|oublier)"},
}

# Words that a page for people must not say, with the one to say instead (docs/glossary.md).
BANNED = {
    "en": {"authorize": "approve", "authorise": "approve", "permit": "approve", "revoke": "remove",
           "device key": "device", "security admin": "owner", "your id at": "user name", "hosted pages": "",
           "found a company": "set up a new company"},
    "de": {"autorisier": "freigeben", "zulassen": "freigeben", "zulassung": "Freigabe", "sperren": "entfernen",
           "widerrufen": "entfernen", "kennung": "Benutzername", "hosted pages": "", "sicherheitsadmin": "Inhaber"},
    "fr": {"autorisez cet": "approuver", "révoqu": "supprimer", "identifiant dans": "nom d’utilisateur",
           "hosted pages": "", "admin de sécurité": "propriétaire"},
}

# Common words that the other languages do not have, by which a text shows its language.
COMMON = {
    "en": "the and you your with this that are not have was from for has only will been its",
    "de": "der die das und sie ihr ihre ihrem mit nicht ist wird diese dieses für von auf ein eine werden",
    "fr": "le la les et vous votre vos avec cette ce pas est pour des une dans sur qui sera ont",
}


def label(name, language):
    """The pattern of a label, or nothing if the part has none."""
    by_language = LABELS.get(name, {})
    return re.compile(by_language[language], re.I) if language in by_language else None


def saying(name, language):
    return re.compile(SAYINGS[name][language], re.I | re.S | re.M)


def language_of(text):
    """The language of a text by its common words; nothing for a text of too few words."""
    words = re.findall(r"[a-zà-ÿß]+", text.lower())
    counts = {name: sum(word in set(common.split()) for word in words) for name, common in COMMON.items()}
    best = max(counts, key=counts.get)
    return best if counts[best] >= 3 else None
