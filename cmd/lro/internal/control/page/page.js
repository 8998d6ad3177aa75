"use strict";

// The page shows text from clients with textContent, and never as HTML.

const shownRequests = 100;
const requests = new Map(); // the requests by their number
let operations = [];
let clock = 0; // how far the clock of the service is ahead, in milliseconds

const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const e = document.createElement(name);
  e.textContent = text ?? "";
  e.className = className ?? "";
  return e;
}

function button(text, command) {
  const b = element("button", text);
  b.type = "button";
  b.addEventListener("click", () => send(b, ...command));
  return b;
}

// send sends a command, and reports whether the service accepted it. If not, send shows the error.
async function send(control, method, path, body) {
  control.disabled = true;
  byId("problem").textContent = "";
  try {
    const response = await fetch(path, { method, body: body && JSON.stringify(body) });
    if (!response.ok) {
      const { error } = await response.json();
      throw new Error(error.message);
    }
    return true;
  } catch (error) {
    byId("problem").textContent = error.message;
    return false;
  } finally {
    control.disabled = false;
  }
}

function time(date) {
  return new Date(date).toLocaleTimeString([], { hour12: false });
}

function duration(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) {
    return `${seconds.toFixed(1)} s`;
  }
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

function now() {
  return Date.now() + clock;
}

// update changes only the cells of a row whose text differs. It does not touch the cell with the buttons,
// so that a button stays in place while somebody clicks it.
function update(row, texts) {
  texts.forEach(([text, className], i) => {
    const cell = row.cells[i] ?? row.appendChild(element("td"));
    if (cell.textContent !== text) {
      cell.textContent = text;
    }
    cell.className = className ?? "";
  });
}

// rowsOf makes a table body have exactly one row for each key, in the order of keys. It returns the rows
// by key.
function rowsOf(body, keys) {
  const rows = new Map();
  for (const row of [...body.rows]) {
    rows.set(row.dataset.key, row);
  }
  keys.forEach((key, i) => {
    const row = rows.get(key) ?? element("tr");
    row.dataset.key = key;
    rows.set(key, row);
    if (body.rows[i] !== row) {
      body.insertBefore(row, body.rows[i] ?? null);
    }
  });
  while (body.rows.length > keys.length) {
    body.rows[keys.length].remove();
  }
  return rows;
}

function commandsOf(operation) {
  const path = `operations/${encodeURIComponent(operation.id)}/`;
  if (operation.end) {
    return [button("Expire", ["POST", `${path}expire`])];
  }
  return ["Succeed", "Fail", "Cancel"].map((name) => button(name, ["POST", path + name.toLowerCase()]));
}

function showOperations() {
  const newest = operations.toReversed();
  const rows = rowsOf(byId("operations"), newest.map(({ id }) => id));
  for (const operation of newest) {
    const row = rows.get(operation.id);
    const reason = operation.error?.code || operation.error?.message;
    const status = reason && reason !== operation.status ? `${operation.status} (${reason})` : operation.status;
    const took = duration((operation.end ? Date.parse(operation.end) : now()) - Date.parse(operation.start));
    update(row, [
      [operation.id],
      [`${operation.method} ${operation.path}`],
      [status, operation.ending ?? "running"],
      [time(operation.start)],
      [took],
    ]);
    const phase = operation.end ? "ended" : "running";
    if (row.dataset.phase !== phase) {
      row.dataset.phase = phase;
      const commands = row.cells[5] ?? row.appendChild(element("td"));
      commands.replaceChildren(...commandsOf(operation));
    }
  }
  showTimeline(rows);
}

// showTimeline draws a bar for each operation, and a mark on the bar for each of its requests. The axis
// ends now or, if no operation is in progress, at the last event.
function showTimeline(rows) {
  const times = operations.flatMap(({ start, end }) => [Date.parse(start), end ? Date.parse(end) : now()]);
  const last = Math.max(...times, ...[...requests.values()].map((request) => Date.parse(request.time)));
  const first = Math.max(Math.min(...times), last - byId("window").value * 1000);
  const at = (date) => (100 * (date - first)) / Math.max(last - first, 1000);
  const percent = (value) => `${Math.min(100, Math.max(0, value)).toFixed(2)}%`;

  for (const operation of operations) {
    const row = rows.get(operation.id);
    const end = operation.end ? Date.parse(operation.end) : now();
    const track = element("div", "", "track");
    if (at(end) >= 0) {
      const bar = element("div", "", `bar ${operation.ending ?? "running"}`);
      bar.style.left = percent(at(Date.parse(operation.start)));
      bar.style.width = percent(at(end) - Math.max(0, at(Date.parse(operation.start))));
      track.append(bar);
    }
    for (const request of requests.values()) {
      const position = at(Date.parse(request.time));
      if (request.operation === operation.id && position >= 0) {
        const mark = element("div", "", failed(request) ? "mark error" : "mark");
        mark.style.left = percent(position);
        mark.title = `${time(request.time)} ${request.method} ${request.statusCode ?? "no response"} ${request.state ?? ""}`;
        track.append(mark);
      }
    }
    const cell = row.cells[6] ?? row.appendChild(element("td"));
    cell.replaceChildren(track);
  }
}

function failed(request) {
  return request.done && !(request.statusCode < 400);
}

function showRequests() {
  const newest = [...requests.values()].sort((a, b) => b.n - a.n).slice(0, shownRequests);
  const rows = rowsOf(byId("requests"), newest.map(({ n }) => String(n)));
  for (const request of newest) {
    const pending = request.done ? "-" : "…";
    const notes = [request.state, ...(request.faults ?? []).map((fault) => `fault ${fault}`)];
    update(rows.get(String(request.n)), [
      [time(request.time)],
      [String(request.n)],
      [`${request.method} ${request.url}`],
      [String(request.statusCode ?? pending), failed(request) ? "error" : ""],
      [request.retryAfter ?? ""],
      [request.kind ? `${request.kind}:${request.nth}` : ""],
      [notes.filter(Boolean).join(", ")],
    ]);
  }
  for (const n of requests.keys()) {
    if (n <= (newest[0]?.n ?? 0) - shownRequests) {
      requests.delete(n);
    }
  }
}

function showFaults(faults) {
  const items = faults.map(({ id, fault, path }) => {
    const item = element("li", path ? `${fault} on ${path}` : fault);
    item.append(button("Remove", ["DELETE", `faults/${id}`]));
    return item;
  });
  byId("faults").replaceChildren(...items);
}

function apply(event) {
  clock = Date.parse(event.now) - Date.now();
  if (event.reset) {
    requests.clear();
    byId("service").textContent = event.service;
  }
  for (const request of event.requests ?? []) {
    requests.set(request.n, request);
  }
  if (event.operations) {
    operations = event.operations;
  }
  if (event.faults) {
    showFaults(event.faults);
  }
  showRequests();
  showOperations();
}

const events = new EventSource("events");
events.addEventListener("open", () => { byId("connection").textContent = "live"; });
events.addEventListener("error", () => { byId("connection").textContent = "disconnected"; });
events.addEventListener("message", ({ data }) => apply(JSON.parse(data)));

// Redraw the bars of operations in progress, which grow.
setInterval(() => {
  if (operations.some(({ end }) => !end)) {
    showOperations();
  }
}, 500);

byId("window").addEventListener("change", showOperations);
byId("reset").addEventListener("click", ({ target }) => send(target, "POST", "reset"));
byId("add").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = { fault: byId("fault").value, path: byId("path").value };
  if (await send(event.submitter ?? byId("fault"), "POST", "faults", body)) {
    event.target.reset();
  }
});
