import { beforeAll, expect, it } from 'vitest';
import { fullSubmission, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sampleOf } from '#test/support/sample.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the public pages', (context) => {
  const word = unique('Zymurgy');
  let slug = '';
  let collection = '';

  beforeAll(async () => {
    const { directory } = context;
    const listing = await directory.live(
      directory.admin,
      fullSubmission({ name: word, long_description: '# One\n\n### Two\n\nText.', logo_url: null, screenshots: [] }),
    );
    slug = listing.slug;
    await directory.adminOk('POST', `/api/projects/${listing.id}/comments`, { content: 'A comment.' }, 201);
    const name = `${unique('W')}${'o'.repeat(90)}`.slice(0, 100);
    await directory.live(directory.admin, { name, description: 'w'.repeat(500) });
    for (const type of ['text', 'number', 'date']) {
      const key = unique(type).toLowerCase().replaceAll(/\W/g, '_');
      await directory.adminOk('POST', '/api/admin/fields', { key, type, label: key, filterable: true }, 201);
    }
    await directory.adminOk('PUT', '/api/admin/site', { texts: { about: '### Deep\n\nText.', terms: '# Terms' } });
    const choice = { title: `${word} ${'o'.repeat(80)}`, description: '# Why\n\nText.', project_ids: [listing.id] };
    ({ slug: collection } = await directory.addCollection({ ...choice, is_public: true }));
  });

  const origin = (): string => `http://localhost:${context.server.server.port}`;

  const open = async (width: number) => {
    const page = await context.browser.newPage({ viewport: { width, height: 900 }, locale: 'en-US' });
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin()}/`)) problems.push(`request to ${request.url()}`);
    });
    return { page, problems };
  };

  const paths = (): readonly string[] => [
    '/',
    `/projects?q=${word}&match=fuzzy&sort=relevance`,
    '/projects?q=qqxxqqzz&match=fuzzy',
    '/projects?sort=nothing',
    '/categories',
    `/categories/${context.directory.category}`,
    `/projects/${slug}`,
    `/collections/${collection}`,
    `/collections/${collection}?pricing=paid`,
    '/map',
    '/submit',
    '/me',
    '/about',
    '/legal/terms',
    '/sign-in',
    '/checkout/success',
    '/checkout/cancel',
    `/de/projects/${slug}`,
    '/fr',
    '/projects/no-such-listing',
  ];

  const windows = [
    ['1280 pixels', 1280, 'ltr'],
    ['360 pixels', 360, 'ltr'],
    ['right to left', 1280, 'rtl'],
    ['right to left at 360 pixels', 360, 'rtl'],
  ] as const;

  it.each(sampleOf(windows, 0))(
    'axe reports nothing on any page in light and dark at %s, and no page is too wide',
    async (_, width, dir) => {
      const { page, problems } = await open(width);
      for (const path of paths()) {
        await page.goto(`${origin()}${path}`);
        await page.evaluate(`document.documentElement.dir = '${dir}'`);
        expect([path, await violationsOf(page)]).toEqual([path, []]);
        const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
        expect([path, await page.evaluate(isTooWide)]).toEqual([path, false]);
      }
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  it('the search box suggests listings, which the keyboard opens', async () => {
    const { page, problems } = await open(1280);
    await page.goto(`${origin()}/`);
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.pressSequentially(word.slice(0, 8));
    await page.getByRole('option', { name: word }).waitFor();
    await box.press('ArrowDown');
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: word }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  longTest('the choice of colours is kept from page to page', async () => {
    const { page } = await open(1280);
    await page.goto(`${origin()}/`);
    await page.getByRole('button', { name: 'Colours: as the system' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.goto(`${origin()}/categories`);
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.close();
  });
});
