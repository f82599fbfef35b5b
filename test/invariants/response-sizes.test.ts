import { expect, it } from 'vitest';
import * as z from 'zod';
import { REPORT_DAYS_MAX } from '#contract/analytics.ts';
import { LISTED_MAX } from '#contract/batches.ts';
import { CATEGORIES_MAX, REORDER_MAX } from '#contract/categories.ts';
import { FIELDS_MAX, FILTERABLE_MAX, OPTIONS_MAX } from '#contract/custom-fields.ts';
import { FOLLOWS_MAX } from '#contract/follows.ts';
import { LISTED_PROBLEMS_MAX } from '#contract/imports.ts';
import { BULK_MAX, DUPLICATES_MAX, relevanceCriteria } from '#contract/projects.ts';
import { SAVED_REPLIES_MAX } from '#contract/saved-replies.ts';
import { routes } from '#contract/table.ts';
import { CASE_ACCOUNTS_MAX } from '#contract/vote-cases.ts';
import { LIST_BYTES_MAX, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import { RULES_MAX } from '#model/rule.ts';

/** The lists in responses of routes without `limit`, of which a caller cannot ask for less. */

/** The bytes of a character in a response: four for emoji, and for quotation marks, which are escaped twice. */
const CHARACTER = 4;
/** What a small record takes beside its long texts: the names of its members, ids, numbers and times. */
const RECORD = 600;
/** A short name, slug or id in a list. */
const NAME = 110;
/** A change that waits has 225 KB at most, in which quotation marks may be escaped. */
const PENDING_CHANGES = 2 * 225_000;
/** The values of the further fields of a listing. */
const FIELDS = 2 * 16_384;
/** The first hundred problems of a draft of 64 KB, which repeat the names of its further fields. */
const PROBLEMS = 2 * 65_536 + 100 * 50;
const CATEGORY = RECORD + (50 + 50 + 200 + 100) * CHARACTER;
const OPTION = 100 + 60 * CHARACTER;
const FIELD = RECORD + 280 * CHARACTER + OPTIONS_MAX * OPTION + 100 * 110;

/** By the names of lists and of members with any names, what they take at most. */
const bounds: readonly (readonly [name: RegExp, bytes: number])[] = [
  // As many entries as fit: `firstFitting`.
  [/^projects\.map (items|features)$/, RESPONSE_BYTES_MAX - 1000],
  [/^collections\.read data\.projects$/, LIST_BYTES_MAX],
  [/^apiKeys\.list data$/, 5_000_000],
  [/^projects\.importCsv data\.errors$/, 1_500_000 + 10_000],
  [/ data\.(dry_run\.)?items$/, 3_000_000],
  [/^imports\.preview data\.rows$/, 3_000_000],
  // As many as there may be.
  [/^categories\.list data$/, CATEGORIES_MAX * CATEGORY],
  [/^categories\.list meta\.spheres$/, CATEGORIES_MAX * 50 * CHARACTER],
  [/^fields\.(list|browse) data$/, FIELDS_MAX * FIELD],
  [/^fields\.(create|update) data\.(options|categories)$/, OPTIONS_MAX * OPTION],
  [/^follows\.list data$/, FOLLOWS_MAX * (RECORD + 2 * 8192)],
  [/^follows\.create data\.query$/, 2 * 8192],
  [/^rules\.list data$/, RULES_MAX * (RECORD + 100 * CHARACTER + 2 * 20_000)],
  [/^rules\.(create|update) data\.when\.(all|any)$/, 2 * 20_000],
  [/^savedReplies\.list data$/, SAVED_REPLIES_MAX * (RECORD + 1100 * CHARACTER)],
  [/^settings\.\w+ data\.(site\.)?links$/, 8 * (100 + 2048) * CHARACTER],
  [/^settings\.\w+ data\.(theme\.)?(colors\.(light|dark)|shadows)$/, 64 * 2 * NAME],
  [
    /^settings\.readPublic data\.(plans|promotion_prices\.placements|features|sort_\w+|sign_in\.parameters)$/,
    40 * RECORD,
  ],
  [/^jobs\.list data$/, 30 * 10 * (RECORD + 500 * CHARACTER)],
  [/ data\.(scopes|kinds|placements)$/, 40 * NAME],
  [/^collections\.\w+ data\.project_ids$/, 200 * NAME],
  [/^imports\.preview data\.(header|ignored|mapping\.columns)$/, 200 * 500 * CHARACTER],
  // A mapping has as many bytes as a body, or a part of a form.
  [/ data\.ignored$/, 2 * 256 * 1024],
  [/ data\.(project\.)?possible_duplicates$/, DUPLICATES_MAX * NAME],
  // Not enforced: an event goes to 1,500 webhooks.
  [/^events\.read data\.(subscribers|deliveries)$/, 1500 * (RECORD + 200 * CHARACTER)],
  // As many as the request names.
  [/^categories\.reorder data$/, REORDER_MAX * CATEGORY],
  [/^projects\.bulk data\.results$/, BULK_MAX * (RECORD + 1000 * CHARACTER)],
  [/^reports\.resolveMany data\.results$/, 100 * RECORD],
  [/^users\.votes data(\.bookmarked)?$/, 100 * RECORD],
  // The first or newest of them.
  [/^imports\.\w+ data\.dry_run\.problems$/, LISTED_PROBLEMS_MAX * (RECORD + 300 * CHARACTER)],
  [/^batches\.revert data\.kept$/, LISTED_MAX * RECORD],
  [/^projects\.dossier data\.(duplicates|signals)$/, DUPLICATES_MAX * (RECORD + 2600 * CHARACTER)],
  [/^users\.read data\.(submissions|comments|reports|payments)$/, 10 * (RECORD + 5000 * CHARACTER)],
  [/^voteCases\.\w+ data\.(signals|accounts)$/, CASE_ACCOUNTS_MAX * (RECORD + 200 * CHARACTER)],
  [/^analytics\.\w+ data\.traffic$/, REPORT_DAYS_MAX * RECORD],
  [/^analytics\.\w+ data\.\w+$/, 100 * (RECORD + 300 * CHARACTER)],
  [/^cron\.\w+ data\.(drift|trending)$/, 50 * (RECORD + 200 * CHARACTER)],
  [/^ai\.generate data\.(meta\.)?(tags|keywords|categories)$/, 10 * NAME],
  // Those of one record, which is an item of the table.
  [/ data\.(project\.)?pending_revision\.changes$/, PENDING_CHANGES],
  [/ data\.(project\.)?screenshots$/, 10 * 2048 * CHARACTER],
  [/ data\.(project\.)?fields$/, FIELDS],
  [/ data\.(project\.)?(categories|spheres|tags|fields_missing)$/, 40 * 50 * CHARACTER],
  [/^drafts\.\w+ data\.problems$/, PROBLEMS],
  [/^events\.read data\.data$/, 2 * 256 * 1024],
  [/^webhooks\.replay data\.attempts$/, 2 * 400 * 1024],
  [/ data\.(request|upload)\.headers$/, 20 * RECORD],
  [/^mcp\.readResource \w+$/, 10 * NAME],
];

type Schema = z.core.JSONSchema.JSONSchema;

const alternativesOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema) => [...anyOf, ...oneOf, ...allOf] as Schema[];

/** The names of lists of any length in a response, and of members with any names: the route and their path. */
const listsIn = (root: Schema, routeId: string): string[] => {
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : ((root.$defs ?? {})[schema.$ref.split('/').at(-1) ?? ''] as Schema);
  const within = (given: Schema, path: readonly string[]): string[] => {
    const schema = resolved(given);
    const hasAnyNames = typeof schema.additionalProperties === 'object';
    return [
      ...(schema.type === 'array' || hasAnyNames ? [`${routeId} ${path.join('.')}`] : []),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => within(one as Schema, [...path, name])),
      ...alternativesOf(schema).flatMap((one) => within(one, path)),
    ];
  };
  return [...new Set(within(root, []))];
};

/** The forms of a response. */
const formsOf = (schema: z.ZodType): Schema[] => {
  const root = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const forms = alternativesOf(root);
  return forms.length === 0 ? [root] : forms.map((form) => ({ ...form, ...(root.$defs && { $defs: root.$defs }) }));
};

/** The lists of each response. */
const responses = routes
  .filter(({ query }) => !(query && 'limit' in query.shape))
  .flatMap(({ id, responses: ofRoute }) =>
    Object.values(ofRoute).flatMap((schema) =>
      'parse' in schema ? formsOf(schema).map((form) => listsIn(form, id)) : [],
    ),
  );

const bytesOf = (list: string): number => bounds.find(([name]) => name.test(list))?.[1] ?? Infinity;

it('the lists that a caller cannot limit have bounds, and fit into a response together', () => {
  expect(responses.flat().length).toBeGreaterThan(100);
  expect(responses.flat().filter((list) => bytesOf(list) === Infinity)).toEqual([]);
  const sums = responses.map((lists) => [lists, lists.reduce((sum, list) => sum + bytesOf(list), 0)] as const);
  expect(sums.filter(([, bytes]) => bytes >= RESPONSE_BYTES_MAX)).toEqual([]);
});

it('every bound is one of a list', () => {
  const all = responses.flat();
  expect(bounds.filter(([name]) => !all.some((list) => name.test(list))).map(([name]) => name.source)).toEqual([]);
});

/** A page of at most a hundred items. */
const page = (...characters: readonly number[]): number =>
  100 * (RECORD + characters.reduce((sum, one) => sum + one, 0) * CHARACTER);

/** Categories, spheres, tags, and the options of further fields, each with its count. */
const FACETS =
  CATEGORIES_MAX * (NAME + 50 * CHARACTER + 40) +
  100 * (40 * CHARACTER + 40) +
  FILTERABLE_MAX * OPTIONS_MAX * (60 + 40);
/** Of a hundred listings: the name, the description and ten tags, each with twenty ranges. */
const HIGHLIGHTS = 100 * 12 * (60 + 20 * 14);
/** Of a hundred listings: the criteria of relevance. */
const RANKING = 100 * (40 + relevanceCriteria.length * 70);

/** By the ids of routes with `limit`, what the items of a page take at most. */
const pages: readonly (readonly [id: RegExp, bytes: number])[] = [
  // Large items are cut when they do not fit together: `shortenedToFit`.
  [/^(projects\.(list|browse|mine|related)|bookmarks\.list)$/, 3_500_000 + FACETS + HIGHLIGHTS + RANKING],
  [/^(revisions\.browse|reports\.list|promotions\.list)$/, LIST_BYTES_MAX],
  // A page ends early, after an item of 400 KB at most: `filteredPage`.
  [
    /^(batches\.listItems|events\.list|webhooks\.listDeliveries|audit\.list|deadLetters\.list|revisions\.list)$/,
    3_000_000 + 800_000,
  ],
  // As many as a user may have.
  [/^drafts\.list$/, 20 * (RECORD + 2 * 65_536 + PROBLEMS)],
  // A hundred of the largest. Avatars and websites have 2,048 characters.
  [/^comments\.(list|browse)$/, page(2000, 2048, 200)],
  [/^users\.list$/, page(2048, 2048, 320, 100, 500, 1000)],
  [/^claims\.(list|mine)$/, page(1000, 1000, 253, 320, 320, 300)],
  [/^voteCases\.list$/, page(1000, 200) + 100 * CASE_ACCOUNTS_MAX * (216 + 100 * CHARACTER)],
  [/^collections\.list$/, page(100, 2000) + 100 * 200 * 40],
  [/^webhooks\.list$/, page(2048, 500) + 100 * 40 * 40],
  [/^imports\.list$/, page(255, 1000)],
  [/^batches\.list$/, page(100, 1000)],
  [/^payments\.(list|browse)$/, page(1000, 200) + 12 * 135 * RECORD],
  [/^promotions\.(mine|browse)$/, page(100, 1000)],
  [/^search\.suggest$/, page(2048, 100, 250)],
  [/^analytics\.searches$/, page(200)],
];

const pagesOf = (id: string) => pages.filter(([name]) => name.test(id));

it('a page of any list with `limit` fits into a response', () => {
  const ids = routes.filter(({ query }) => query && 'limit' in query.shape).map(({ id }) => id);
  expect(ids.filter((id) => pagesOf(id).length !== 1)).toEqual([]);
  expect(pages.filter(([name]) => !ids.some((id) => name.test(id))).map(([name]) => name.source)).toEqual([]);
  expect(pages.filter(([, bytes]) => bytes >= RESPONSE_BYTES_MAX).map(([name]) => name.source)).toEqual([]);
});
