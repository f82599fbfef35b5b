// Follows the filters of a list: its new listings come by mail.

import { RequestError, request } from '../browser/api.ts';
import { problemText } from '../browser/messages.ts';
import { currentUser, markSession, signInUrl } from '../browser/session.ts';
import { stopWaiting } from '../waiting.ts';

const attach = (area: HTMLElement, form: HTMLFormElement): void => {
  const button = form.querySelector('button');
  const problem = area.querySelector<HTMLElement>('[data-follow-problem]');
  const done = area.querySelector<HTMLElement>('[data-follow-status] > *');
  const say = (text: string): void => {
    if (!problem) return;
    problem.textContent = text;
    problem.hidden = text === '';
  };
  const follow = async (): Promise<void> => {
    if (!(await currentUser())) {
      location.assign(signInUrl());
      return;
    }
    const query = JSON.parse(area.dataset.follow ?? '{}') as object;
    await request('POST', '/me/follows', { body: { query, frequency: new FormData(form).get('frequency') } });
    form.hidden = true;
    if (done) done.hidden = false;
  };
  const submit = async (): Promise<void> => {
    say('');
    if (button) button.disabled = true;
    try {
      await follow();
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) {
        markSession(false);
        location.assign(signInUrl());
      } else {
        say(problemText(error));
      }
    } finally {
      if (button) button.disabled = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  stopWaiting(form);
};

for (const area of document.querySelectorAll<HTMLElement>('[data-follow]')) {
  const form = area.querySelector('form');
  if (form) attach(area, form);
}
