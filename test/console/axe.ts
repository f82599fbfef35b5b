import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules of WCAG 2.2 AA; in dark those that depend on colours. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

/** What axe reports about a page in light and in dark. Evaluated code is not subject to the page's policy. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  await page.evaluate(source);
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    // Scripts learn of the scheme with the next frame, and may begin transitions of colours.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))',
    );
    const violations = await page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify({ runOnly: RULES[scheme] })}).then(({ violations }) => violations)`,
    );
    for (const { id, help, nodes } of violations)
      found.push(...nodes.map(({ html }) => `${scheme}: ${id}: ${help}: ${html.slice(0, 200)}`));
  }
  return found;
};
