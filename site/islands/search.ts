// Suggestions in the search boxes: listings, categories and what other visitors searched for.

import { apiUrl, pageUrl } from '../browser/api.ts';

interface Suggestions {
  readonly projects: readonly { readonly slug: string; readonly name: string }[];
  readonly categories: readonly { readonly slug: string; readonly name: string; readonly project_count: number }[];
  readonly queries: readonly string[];
}

/** How long typing has to pause, in milliseconds. */
const PAUSE_MS = 150;

let lists = 0;

const attach = (form: HTMLFormElement, input: HTMLInputElement): void => {
  lists += 1;
  const list = document.createElement('ul');
  list.className = 'suggestions';
  list.id = `suggestions-${lists}`;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', input.getAttribute('aria-label') ?? '');
  list.hidden = true;
  form.append(list);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');

  let active = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = new AbortController();

  const options = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[role=option]')];
  const close = (): void => {
    list.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const select = (next: number): void => {
    const all = options();
    active = all.length === 0 ? -1 : (next + all.length) % all.length;
    for (const [index, option] of all.entries()) option.setAttribute('aria-selected', String(index === active));
    const chosen = all[active];
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id);
  };
  const search = (q: string): string => {
    const query = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
    query.set('q', q);
    return pageUrl(`/projects?${query.toString()}`);
  };
  const show = ({ projects, categories, queries }: Suggestions): void => {
    const entries = [
      ...projects.map(({ slug, name }) => ({ text: name, to: pageUrl(`/projects/${slug}`), kind: 'project' })),
      ...categories.map(({ slug, name }) => ({ text: name, to: pageUrl(`/categories/${slug}`), kind: 'category' })),
      ...queries.map((q) => ({ text: q, to: search(q), kind: 'query' })),
    ];
    list.replaceChildren(
      ...entries.map(({ text, to, kind }, index) => {
        const option = document.createElement('li');
        option.id = `${list.id}-${index}`;
        option.className = kind;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', 'false');
        option.dir = 'auto';
        option.dataset.to = to;
        option.textContent = text;
        return option;
      }),
    );
    active = -1;
    list.hidden = entries.length === 0;
    input.setAttribute('aria-expanded', String(entries.length > 0));
  };
  const suggest = async (): Promise<void> => {
    asked.abort();
    asked = new AbortController();
    const q = input.value.trim();
    if (q === '') {
      close();
      return;
    }
    try {
      const response = await fetch(`${apiUrl}/search/suggest?${new URLSearchParams({ q }).toString()}`, {
        signal: asked.signal,
      });
      if (!response.ok) close();
      else show(((await response.json()) as { data: Suggestions }).data);
    } catch (error) {
      // The form works without suggestions.
      if (!(error instanceof DOMException)) close();
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void suggest(), PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      close();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !list.hidden) {
      event.preventDefault();
      select(event.key === 'ArrowDown' ? active + 1 : active < 0 ? -1 : active - 1);
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      location.assign(options()[active]?.dataset.to ?? form.action);
    }
  });
  input.addEventListener('blur', close);
  // Before `blur`, which hides the list.
  list.addEventListener('mousedown', (event) => {
    event.preventDefault();
    const to = (event.target as HTMLElement).closest<HTMLElement>('[role=option]')?.dataset.to;
    if (to !== undefined) location.assign(to);
  });
};

for (const input of document.querySelectorAll<HTMLInputElement>('form.search input[type=search]')) {
  if (input.form) attach(input.form, input);
}
