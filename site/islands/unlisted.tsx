// A listing that is not public, for its owner and the staff, on the page that says that it does not exist.

import { render } from 'preact';
import type { Category } from '#contract/categories.ts';
import type { Field } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { pageUrl, RequestError, request } from '../browser/api.ts';
import { problemText, t } from '../browser/messages.ts';
import { currentUser } from '../browser/session.ts';

const area = document.querySelector<HTMLElement>('[data-unlisted]');

const stateOf = ({ status, deleted_at }: Project): string => {
  if (deleted_at !== null) return t('unlisted.deleted');
  return t(status === 'rejected' ? 'me.status.rejected' : 'me.status.pending');
};

const show = async (element: HTMLElement): Promise<void> => {
  if (!(await currentUser())) return;
  const project = await request<Project>('GET', `/projects/${encodeURIComponent(element.dataset.unlisted ?? '')}`);
  const [settings, categories, { ShownListing }] = await Promise.all([
    request<SiteSettings>('GET', '/settings'),
    request<readonly Category[]>('GET', '/categories'),
    import('../browser/shown-listing.tsx'),
  ]);
  const hasFields = settings.features.includes('fields');
  const fields = hasFields ? await request<readonly Field[]>('GET', '/fields') : [];
  element.replaceChildren();
  element.classList.remove('empty-state');
  document.title = project.name;
  render(
    <>
      <div class="notice" role="status">
        <p>
          <strong>{stateOf(project)}</strong> {t('unlisted.text')}
        </p>
        {project.status === 'rejected' && project.rejection_reason && (
          <p dir="auto">{t('me.rejected', { reason: project.rejection_reason })}</p>
        )}
        <p>
          <a href={pageUrl('/me')}>{t('nav.account')}</a>
        </p>
      </div>
      <ShownListing project={project} data={{ settings, fields, categories, name: settings.site?.name ?? '' }} />
    </>,
    element,
  );
};

if (area) {
  show(area).catch((error: unknown) => {
    // For everyone else the page is right.
    if (error instanceof RequestError && error.status === 404) return;
    const problem = Object.assign(document.createElement('p'), {
      className: 'problem',
      textContent: problemText(error),
    });
    problem.setAttribute('role', 'alert');
    area.append(problem);
  });
}
