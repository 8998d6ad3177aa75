// Creates the resource at a URL with a client of an Azure SDK for JavaScript that has a credential,
// and prints each status, and then the result or the error, as a line of JSON.
//
//	node credential.mjs URL
//
// It builds the client as the generated packages @azure-rest/… do. getClient adds the bearer token, and
// refuses to send it without HTTPS. createHttpPoller sends its requests with that client.
import { getClient } from "@azure-rest/core-client";
import { createHttpPoller } from "@azure/core-lro";

const [url] = process.argv.slice(2);
const credential = {
  getToken: async () => ({ token: "anything", expiresOnTimestamp: Date.now() + 3600_000 }),
};
const client = getClient(new URL(url).origin, credential, { credentials: { scopes: ["scope"] } });

async function send(method, target) {
  const path = client.pathUnchecked(target);
  const { request, status, headers, body } = await (method === "PUT" ? path.put({ body: {} }) : path.get());
  return { flatResponse: body, rawResponse: { request, statusCode: Number(status), headers, body } };
}

try {
  const poller = createHttpPoller(
    { sendInitialRequest: () => send("PUT", url), sendPollRequest: (target) => send("GET", target) },
    { intervalInMs: 200 },
  );
  poller.onProgress(({ status }) => console.log(JSON.stringify({ status })));
  const { id, properties } = await poller.pollUntilDone();
  console.log(JSON.stringify({ id, state: properties.provisioningState }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
