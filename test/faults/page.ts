/** The page `docs/faults.md`. */

/** The results of one fault: a text per row. */
export interface Results {
  /** The responses during the fault. */
  readonly during: Readonly<Record<string, string>>;
  /** What is found after recovery. */
  readonly afterwards: Readonly<Record<string, string>>;
}

const INTRODUCTION = `# Faults

What callers receive while a dependency fails, and what is stored after it has recovered. \`test/faults/matrix.full.test.ts\`
runs every case on a local server with a proxy in front of each dependency, and generates this page from the results. It
fails when the page is outdated.

\`\`\`sh
npm run test:full -- test/faults        # compares the page with the results
npm run test:full -- test/faults -u     # writes the page
\`\`\`

The faults:

- **hangs**: no request is answered.
- **throttles**, **fails**: every request is answered with the error of the service for throttling, or with its internal error.
- **is slow**: every response is late, by 0.4 seconds for the table and its feed, by a second for the others.
- **loses responses**: requests have their effect, but the responses never arrive. Of the table, those to transactions.

Every case has the settings and time limits of a deployed stage. Each function has to respond within its own timeout, a
request within the 29 seconds of the gateway. Responses are statuses with their codes:

- \`503\` means that the request can be repeated, after \`Retry-After\` where it is given, \`504\` that the time of the request was over. Nothing
  is written after either response, except when the response of the table was lost: a repetition finds what was written.
- A list is served from memory, at most 30 seconds old, while the feed or the table does not respond.
- After recovery a client repeats what has not succeeded: submissions and checkouts with the same \`Idempotency-Key\`, votes with
  \`PUT\`, comments unless they are listed, approvals until they succeed or return 409. Nothing is then missing or doubled.
- An event that could not be published or processed is delivered again. Subscribers process it once, also when it is
  repeated on the bus. An email whose acceptance SES could not confirm is sent again, so a recipient can get it twice.
- A file is uploaded to the object storage itself, so its client sees the response of S3, or none. An upload is repeated until
  it succeeds or returns 412: the file is there already. A running import reads its file during the fault; its run is repeated
  until the file is imported, and no row is imported twice.
- Votes, claims, scheduled publications and digests take part where a fault concerns them: the table, its feed index, the bus and
  mail. Decisions, proofs of claims and jobs are repeated like other requests; a case is held or released once, a claim hands
  its listing over once, a publication is one event, and a digest is sent once.
- Dead letters are collected by a job. A message is deleted from its queue after its letter is stored. When the response of
  the queue is lost, its messages are hidden for 30 seconds, and a later run collects them.
- On AWS a function that failed for an event is started twice more within some minutes. When the fault lasts longer, the event is a
  dead letter, and its replay does the rest of the work, also that of an import.`;

const tableOf = (
  head: string,
  columns: readonly string[],
  byColumn: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string => {
  const rows = Object.keys(byColumn[columns[0] ?? ''] ?? {});
  const lines = [
    [head, ...columns],
    [head, ...columns].map(() => '---'),
    ...rows.map((row) => [row, ...columns.map((column) => byColumn[column]?.[row] ?? '')]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

const column = (results: Readonly<Record<string, Results>>, part: keyof Results) =>
  Object.fromEntries(Object.entries(results).map(([fault, one]) => [fault, one[part]]));

const TITLES: Readonly<Record<string, string>> = {
  table: 'The table',
  feed: "The table's feed index",
  bus: 'The event bus (EventBridge)',
  mail: 'Mail (SES)',
  Stripe: 'Stripe',
  issuer: 'The keys of the token issuer, when a token is signed with a new key',
  storage: 'Object storage (S3)',
  queues: 'The dead-letter queues (SQS)',
};

/** The whole page. @param results by dependency and fault. */
export const faultsPage = (results: Readonly<Record<string, Readonly<Record<string, Results>>>>): string => {
  const sections = Object.entries(results).map(([name, byFault]) => {
    const columns = Object.keys(byFault);
    return [
      `## ${TITLES[name] ?? name}`,
      tableOf('During the fault', columns, column(byFault, 'during')),
      tableOf('After recovery', columns, column(byFault, 'afterwards')),
    ].join('\n\n');
  });
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
};
