// The views, and where they stand in the menu.  Each is loaded when it is first looked at.

const view = (file, more = {}) => ({ load: () => import(`/assets/views/${file}.js`), ...more });

export const VIEWS = {
  start: view("start"),
  mail: view("mail"),
  activity: view("activity"),
  people: view("people"),
  cases: view("cases"),
  jobs: view("jobs"),
  world: view("world"),
  faults: view("faults"),
  recipients: view("recipients"),
  links: view("links"),
  ai: view("ai"),
  insights: view("insights"),
  score: view("score"),
  connection: view("connection"),
  logins: view("logins"),
  webhooks: view("webhooks"),
  snapshots: view("snapshots"),
  settings: view("settings"),
  plan: view("plan"),
  admin: view("admin", { administrator: true }),
};

export const GROUPS = [
  { title: "", views: ["start", "mail", "activity"] },
  { title: "nav.group.people", views: ["people", "cases", "jobs"] },
  { title: "nav.group.behaviour", views: ["world", "faults", "recipients", "links", "ai"] },
  { title: "nav.group.results", views: ["insights", "score"] },
  { title: "nav.group.universe", views: ["connection", "logins", "webhooks", "snapshots", "settings", "plan", "admin"] },
];
