import { findProject } from '#data/projects.ts';
import { isOpen } from '#model/policy.ts';
import { AppError } from '#shared/errors.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { type LocalRequest, type LocalRoute, pageResponse } from './local-route.ts';

// The pages of a front end to which mails and payments link. Locally there is none, so these stand in for them.

const listingPage = async ({ params }: LocalRequest) => {
  const stored = await findProject(params.project ?? '');
  if (!stored || stored.project.deleted_at !== null) throw new AppError('NOT_FOUND');
  const { project, counts } = stored;
  // A payment mail links to a listing that still waits for review.
  if (!isOpen(project))
    return pageResponse(layout('Listing', html`<h1>Listing</h1><p>This listing is not public.</p>`));
  return pageResponse(
    layout(
      project.name,
      html`<h1>${project.name}</h1>
<p>${project.description}</p>
<dl class="facts">
<dt>Website</dt><dd><a href="${project.url}" rel="noopener nofollow">${project.url}</a></dd>
<dt>Categories</dt><dd>${project.categories.join(', ')}</dd>
<dt>Upvotes</dt><dd>${counts.upvote_count}</dd>
<dt>As JSON</dt><dd><a href="/api/projects/${project.slug}">/api/projects/${project.slug}</a></dd>
</dl>`,
    ),
  );
};

const resultPage = (title: string, text: string) => () =>
  pageResponse(
    layout(
      title,
      html`<h1>${title}</h1>
<p>${text}</p>
<p class="soft">The state of the payment is at <code>GET /api/payments/checkouts/{checkout}</code>.</p>`,
    ),
  );

/** The page of a listing, and the pages to which the payment page returns. */
export const sitePageRoutes: readonly LocalRoute[] = [
  { method: 'GET', path: '/projects/{project}', respond: listingPage },
  { method: 'GET', path: '/checkout/success', respond: resultPage('Payment received', 'Thank you.') },
  { method: 'GET', path: '/checkout/cancel', respond: resultPage('Payment cancelled', 'Nothing was charged.') },
];
