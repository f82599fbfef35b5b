import type * as z from 'zod';
import { parse } from '#contract/fields.ts';
import type { toolArguments } from '#contract/mcp.ts';
import { Project } from '#contract/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { lacksVerifiedEmail } from '#model/policy.ts';
import { environment } from '#platform/environment.ts';
import { listCategories } from '#services/categories/read.ts';
import { listingAddress } from '#services/feeds/addresses.ts';
import { submitPremium } from '#services/payments/open.ts';
import { publicListings } from '#services/projects/list.ts';
import { callersProject, getProject, publicView } from '#services/projects/read.ts';
import { submitProject } from '#services/projects/submit.ts';
import { banned, emailUnverified, outOfScope, unauthorized } from '#shared/errors.ts';

export type ToolName = keyof typeof toolArguments;

type Arguments<N extends ToolName> = z.output<(typeof toolArguments)[N]>;

/** What a tool returns: the `structuredContent` of its result. */
type Result = Readonly<Record<string, unknown>>;

const searchListings = async ({ query: q, limit, ...others }: Arguments<'search_listings'>): Promise<Result> => {
  const isRanked = q !== undefined && environment().features.search;
  const { found } = await publicListings({
    ...others,
    q,
    match: isRanked ? 'fuzzy' : undefined,
    sort: isRanked ? 'relevance' : 'newest',
    page: 1,
    limit,
  });
  const items = found.entries.map((entry) => {
    const view = publicView(entry);
    return {
      id: view.id,
      name: view.name,
      description: view.description,
      url: view.url,
      page_url: listingAddress(view.slug),
      categories: view.categories,
      pricing_type: view.pricing_type,
      upvote_count: view.upvote_count,
      average_rating: view.average_rating,
      ratings_count: view.ratings_count,
      ...('fields' in view && { fields: view.fields }),
    };
  });
  return { total: found.total, items, next_cursor: found.nextCursor };
};

/** A project as it is for everybody: a credential has no effect. */
const getListing = async ({ id }: Arguments<'get_listing'>): Promise<Result> => {
  const { data } = await callersProject(await getProject(undefined, id), undefined);
  return parse(Project, data);
};

/** As the route `projects.submit`, with the same conditions for the caller. */
const submitListing = async (submission: Arguments<'submit_listing'>, caller: Caller | undefined): Promise<Result> => {
  if (!caller) throw unauthorized();
  if (caller.scopes && !caller.scopes.includes('projects:write')) throw outOfScope();
  if (caller.is_banned) throw banned(caller.ban_reason);
  if (environment().verifiedEmailRequired !== 'none' && lacksVerifiedEmail(caller)) throw emailUnverified();
  if (submission.plan === 'premium') return { ...(await submitPremium(caller, submission, undefined)) };
  const { id, slug, status } = await submitProject(caller, submission);
  return { id, slug, status };
};

export const tools: {
  readonly [N in ToolName]: {
    readonly title: string;
    readonly description: string;
    readonly readOnly: boolean;
    readonly run: (given: Arguments<N>, caller: Caller | undefined) => Promise<Result>;
  };
} = {
  search_listings: {
    title: 'Search listings',
    description: 'Searches the live listings of the directory by words and filters, a page at a time.',
    readOnly: true,
    run: searchListings,
  },
  get_listing: {
    title: 'Read a listing',
    description: 'Reads everything that is public about a live listing.',
    readOnly: true,
    run: getListing,
  },
  list_categories: {
    title: 'List the categories',
    description: 'Lists all categories, whose slugs are filters of searches, with the number of live listings in each.',
    readOnly: true,
    run: async () => ({ categories: (await listCategories()).body().data }),
  },
  submit_listing: {
    title: 'Submit a listing',
    description:
      'Submits a listing for review as the caller. Requires an access token, or an API key with the scope `projects:write`. The plan `premium` returns the address of a payment page.',
    readOnly: false,
    run: submitListing,
  },
};
