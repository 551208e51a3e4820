import {Tenure} from "./tenure.js";

const tenure = new Tenure(await (await fetch("settings.json")).json());
const [greeting, logIn, logOut] = ["greeting", "login", "logout"].map((id) => document.getElementById(id));
const fail = (error) => show(null, error.message);
logIn.addEventListener("click", () => tenure.logIn().catch(fail));
logOut.addEventListener("click", () => tenure.logOut().catch(fail));

function show(person, text = person ? `Hello ${person.email ?? "there"}.` : "") {
  greeting.textContent = text;
  logIn.hidden = Boolean(person);
  logOut.hidden = !person;
}

try {
  show(await tenure.finish() ?? tenure.person());
} catch (error) {
  fail(error);
}
