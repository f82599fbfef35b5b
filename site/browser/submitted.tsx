import { useEffect, useState } from 'preact/hooks';
import type { Project } from '#contract/projects.ts';
import { pageUrl, request } from './api.ts';
import { t } from './messages.ts';

const { lang } = document.documentElement;

const SUBMISSIONS = 20;
/** How often lists are asked for a submission that they do not have yet, and the pause between, in milliseconds. */
const TRIES = 5;
const PAUSE_MS = 1000;

/** A submission among those of the caller, which know its place in the queue. */
const ownSubmission = async (id: string): Promise<Project | undefined> => {
  for (let tries = 1; ; tries += 1) {
    const own = await request<readonly Project[]>('GET', `/me/submissions?limit=${SUBMISSIONS}`);
    const found = own.find((one) => one.id === id);
    if (found || tries === TRIES) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};

/** The place of a submission in the queue, once lists know it. */
const useQueuePosition = ({ id, status, approved_at }: Project): number | undefined => {
  const [position, setPosition] = useState<number>();
  useEffect(() => {
    if (status !== 'pending' || approved_at) return;
    ownSubmission(id).then(
      (own) => setPosition(own?.queue_position),
      // The position is an addition to what is said anyway.
      () => undefined,
    );
  }, [id]);
  return position;
};

const nextStep = ({ status, publish_at, approved_at }: Project): string => {
  if (status === 'live') return t('submit.done.live');
  if (status === 'rejected') return t('submit.done.rejected');
  if (!publish_at) return t('submit.done.pending');
  const time = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(publish_at));
  return t(approved_at ? 'submit.done.scheduled' : 'submit.done.pendingUntil', { time });
};

/** What was submitted, and what happens next. */
export const Submitted = ({ project }: { readonly project: Project }) => {
  const position = useQueuePosition(project);
  return (
    <div class="notice" role="status">
      <p>
        <strong dir="auto">{project.name}</strong>
      </p>
      <p>{nextStep(project)}</p>
      {position !== undefined && (
        <p>{t('submit.done.queue', { position: new Intl.NumberFormat(lang).format(position) })}</p>
      )}
      {project.status === 'live' && (
        <p>
          <a href={pageUrl(`/projects/${project.slug}`)}>{t('submit.done.open')}</a>
        </p>
      )}
    </div>
  );
};
