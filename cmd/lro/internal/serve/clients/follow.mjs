// Creates the resource at a URL with @azure/core-lro, and prints each status, and
// then the result or the error, as a line of JSON.
//
//	node follow.mjs URL
//	node follow.mjs URL restart    after the first status, continues with a restored poller
import { createHttpPoller } from "@azure/core-lro";

const [url, restart] = process.argv.slice(2);

async function send(method, target, body) {
  const response = await fetch(target, { method, body });
  const text = await response.text();
  const parsed = text === "" ? undefined : JSON.parse(text);
  if (response.status >= 400) {
    throw new Error(`${response.status} ${parsed?.error?.code}`);
  }
  const headers = Object.fromEntries(response.headers);
  return { flatResponse: parsed, rawResponse: { request: { method, url: target }, statusCode: response.status, headers, body: parsed } };
}

function createPoller(options) {
  const operation = {
    sendInitialRequest: () => send("PUT", url, "{}"),
    sendPollRequest: (target) => send("GET", target),
  };
  const poller = createHttpPoller(operation, { intervalInMs: 200, ...options });
  poller.onProgress(({ status }) => console.log(JSON.stringify({ status })));
  return poller;
}

let poller = createPoller();
if (restart === "restart") {
  await poller.poll();
  poller = createPoller({ restoreFrom: await poller.serialize() });
}
try {
  const { id, properties } = await poller.pollUntilDone();
  console.log(JSON.stringify({ id, state: properties.provisioningState }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
