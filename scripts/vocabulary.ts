import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.ts';

const HELP = `npm run vocabulary

Fails on words that the project has replaced by standard terms, in file names, code, comments, strings and documents. It prints
each place with the term to use. Words that belong to a stored format or to the HTTP contract are exempt, see EXEMPT.`;

/** Retired words with the standard term. `\\b` treats a camel-case part as a word, see `wordsOf`. */
const RETIRED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bdoors?\b/i, 'handler'],
  [/\bverbs?\b/i, 'service, action or method'],
  [/\bgates?\b/i, 'middleware'],
  [/\bworlds?\b/i, 'LocalServer, TestServer, StackContext, environment'],
  [/\bports\b(?= (?:of|for|that|which|with)\b)|\b\w+ ports\b(?= argument)/i, 'stores'],
  [/\bworkshops?\b/i, 'now() and newId()'],
  [/\breceipts?\b/i, 'deduplication record'],
  [/\bbookmarks?\b/i, 'checkpoint'],
  [/\bcarr(?:y|ies|ied|ying) over\b/i, 'propagate'],
  [/\bletterheads?\b/i, 'branding'],
  [/\bpost offices?\b/i, 'mailer'],
  [/\bfarewells?\b/i, 'deletion events'],
  [/\bleases?d?\b/i, 'prefetched quota'],
  [/\bdesks?\b/i, 'mock Stripe'],
  [/\brehears(?:e|es|ed|al|als)\b/i, 'bundle test or simulation'],
  [/\blaws?\b/i, 'invariant'],
  [/\bfurnish(?:es|ed|ing)?\b/i, 'seed'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix or repair'],
  [/\bg(?:ive|ives|ave|iven|iving) back\b/i, 'refund or return'],
  [/\banew\b/i, 'again'],
  [/\bwho(?:ever|soever|mever)\b/i, 'the caller, the owner'],
  [/\bsomebody\b/i, 'a user, another request'],
  [/\bnobody\b/i, 'no caller, no user'],
  [/\bto be had\b/i, 'available'],
  [/\bcomes? to be\b/i, 'becomes'],
  [/\bis told\b|\bare told\b|\bwas told\b|\bbeen told\b/i, 'receives, is notified'],
];

/** Lines that may hold a retired word: a quotation of another system's term, or a stored or published name. */
const EXEMPT: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [/^scripts\/vocabulary\.ts$/, /./],
  // The type attribute of stored items.
  [/^shared\/data\/(?:analytics|checkouts|dead-letters|deduplication)\.ts$/, /type: 'receipt'/],
  [/^shared\/data\/checkpoints\.ts$/, /type: 'bookmark'/],
  [/^docs\/privacy\.md$/, /`(?:receipt|bookmark)`/],
  // A deployed subscription id, which names its handler's file.
  [/^shared\/events\/subscriptions\.ts$/, /id: 'payments\.giveBack'/],
  [/^test\/bundles\/bundles\.full\.test\.ts$/, /'payments\.giveBack'/],
  [/^functions\/payments\/give-back\.ts$/, /^functions\/payments\/give-back\.ts$/],
  [/^NOTICE\.md$|^LICENSE$|^CHANGELOG\.md$/, /./],
  // The table of words itself.
  [/^CONTRIBUTING\.md$/, /^\| .+ \| .+ \|$/],
  // A package of maps.
  [/^package\.json$|^console\//, /world-atlas/],
  // A member of requests to SQS.
  [/dead-letter-queues\.ts$|letters\.test\.ts$/, /ReceiptHandle/],
  // Keys of stored items.
  [/^docs\/access-patterns\.md$|^shared\/data\/keys\.ts$/, /RECEIPT|BOOKMARK/],
];

const SCANNED = /\.(?:ts|mts|mjs|md|json|ya?ml)$|^\.ci\/run$/;
const SKIPPED = /^(?:package-lock\.json|bench\/peers\/package-lock\.json|local\/sample-data\.json)$/;

/** Splits camel case and snake case, so that `importDoor` and `RATE_LEASE` are searched like prose. */
const wordsOf = (line: string): string =>
  line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])-(?=[a-z])/g, ' ');

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => SCANNED.test(file) && !SKIPPED.test(file) && existsSync(join(root, file)));

const isExempt = (file: string, line: string): boolean =>
  EXEMPT.some(([inFile, inLine]) => inFile.test(file) && inLine.test(line));

const found = files.flatMap((file) =>
  [file, ...readFileSync(join(root, file), 'utf8').split('\n')].flatMap((line, number) => {
    const words = wordsOf(line);
    return RETIRED.flatMap(([pattern, instead]) => {
      const hit = pattern.exec(words);
      return hit && !isExempt(file, line)
        ? [`${file}:${number}: "${hit[0]}", say ${instead}: ${line.trim().slice(0, 100)}`]
        : [];
    });
  }),
);

for (const line of found) console.log(line);
if (found.length > 0) {
  console.log(`\n${found.length} retired words. The terms to use are in CONTRIBUTING.md.`);
  process.exitCode = 1;
}
