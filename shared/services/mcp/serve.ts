import { createMcpHandler, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type Messages, toolArguments } from '#contract/mcp.ts';
import { cachedSettings } from '#data/settings.ts';
import type { Caller } from '#model/api-key.ts';
import { bytesInResponse } from '#model/response-size.ts';
import { addressOf } from '#services/feeds/addresses.ts';
import { AppError, invalidInput, isRefusal, notFound, PageError, statusOf, unauthorized } from '#shared/errors.ts';
import { type ToolName, tools } from './tools.ts';

/** A request, while the package serves it. */
interface Exchange {
  readonly caller: Caller | undefined;
  /** What the results of further reads may take, in bytes of the response. */
  bytesLeft: number;
  /** What a tool threw that is no refusal. */
  failure?: Error;
}

/** Of all results of reads in a request, in bytes of the response. The rest is for results of writes, which are small. */
const RESULTS_BYTES_MAX = 5_000_000;

const newExchange = (caller: Caller | undefined): Exchange => ({ caller, bytesLeft: RESULTS_BYTES_MAX });

const noRoom = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', {
    message: 'One response cannot hold this result. Call the tool in a request of its own, or ask for less.',
  });

const asText = (content: object) => [{ type: 'text' as const, text: JSON.stringify(content) }];

/**
 * A refusal is a result with the body of the error. The package would return the message of any other error as well.
 * @param isRead whether the result may be refused for its size. What a write has done must be told.
 */
const resultOf = async (exchange: Exchange, isRead: boolean, run: () => Promise<Readonly<Record<string, unknown>>>) => {
  try {
    const structuredContent = await run();
    const result = { content: asText(structuredContent), structuredContent };
    if (!isRead) return result;
    const bytes = bytesInResponse(JSON.stringify(result));
    if (bytes > exchange.bytesLeft) throw noRoom();
    exchange.bytesLeft -= bytes;
    return result;
  } catch (error) {
    if (!(error instanceof AppError)) exchange.failure = error as Error;
    const body = error instanceof AppError ? error.body : {};
    return { content: asText(body), structuredContent: body, isError: true };
  }
};

const register = <N extends ToolName>(server: McpServer, name: N, exchange: Exchange): void => {
  const { title, description, readOnly, run } = tools[name];
  const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: !readOnly };
  const inputSchema: StandardSchemaWithJSON = toolArguments[name];
  server.registerTool(
    name,
    { title, description, annotations, inputSchema },
    // The package has parsed the arguments through the schema.
    async (given: unknown) =>
      await resultOf(exchange, readOnly, () => run(given as Parameters<typeof run>[0], exchange.caller)),
  );
};

/** The exchanges by the authentication that the package passes on. */
const exchanges = new WeakMap<object, Exchange>();

const handler = createMcpHandler(
  async ({ authInfo }) => {
    const exchange = (authInfo && exchanges.get(authInfo)) ?? newExchange(undefined);
    const { site } = await cachedSettings();
    const server = new McpServer(
      { name: 'directory', title: site.name, version: '1.0.0', websiteUrl: addressOf('/') },
      { instructions: site.tagline || `The listings of ${site.name}.` },
    );
    for (const name of Object.keys(tools) as ToolName[]) register(server, name, exchange);
    return server;
  },
  // Functions end with their response, so there is nothing to subscribe to.
  { legacy: 'stateless', maxSubscriptions: 0 },
);

const isSubmission = (message: object): boolean => {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' && params?.name === ('submit_listing' satisfies ToolName);
};

/** How many submissions a request asks for. */
export const submissionsIn = (messages: Messages): number => [messages].flat().filter(isSubmission).length;

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** A 401 that tells where tokens come from. */
const challenge = (): PageError =>
  new PageError('UNAUTHORIZED', {
    text: JSON.stringify(unauthorized().body),
    headers: {
      ...jsonHeaders,
      'www-authenticate': `Bearer resource_metadata="${addressOf('/.well-known/oauth-protected-resource')}"`,
    },
  });

/** The headers of a request that the protocol defines. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Serves a request of the Model Context Protocol.
 * @param header reads a header of the request.
 * @throws 401 for a submission without a valid credential; 400 and 404 with an error of the protocol.
 */
export const serveMcp = async (
  messages: Messages,
  caller: Caller | undefined,
  header: (name: string) => string | undefined,
) => {
  if (!caller && submissionsIn(messages) > 0) throw challenge();
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of PROTOCOL_HEADERS) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const exchange = newExchange(caller);
  const authInfo = { token: '', clientId: '', scopes: [] };
  exchanges.set(authInfo, exchange);
  const request = new Request(addressOf('/mcp'), { method: 'POST', headers, body: JSON.stringify(messages) });
  const response = await handler.fetch(request, { parsedBody: messages, authInfo });
  const text = await response.text();
  if (exchange.failure) throw exchange.failure;
  if (response.status === 202) return { status: 202 as const, text: '' };
  if (response.ok) {
    const isEvent = response.headers.get('content-type')?.startsWith('text/event-stream');
    return { status: 200 as const, text, ...(isEvent && { contentType: 'text/event-stream' as const }) };
  }
  if (!isRefusal(response.status)) throw new Error(`The protocol failed with status ${response.status}.`);
  const { code } = response.status === statusOf('NOT_FOUND') ? notFound() : invalidInput();
  throw new PageError(code, { text, headers: jsonHeaders });
};
