// The views, and where they stand in the menu.  Each is loaded when it is first looked at.

const view = (file, more = {}) => ({ load: () => import(`/assets/views/${file}.js`), ...more });

export const VIEWS = {
  start: view("start"),
  mail: view("mail"),
};

export const GROUPS = [
  { title: "", views: ["start", "mail", "activity"] },
  { title: "nav.group.people", views: ["people", "cases", "jobs"] },
  { title: "nav.group.behaviour", views: ["world", "faults", "recipients", "links", "ai"] },
  { title: "nav.group.results", views: ["insights", "score"] },
  { title: "nav.group.universe", views: ["connection", "logins", "webhooks", "snapshots", "settings", "plan", "admin"] },
];
