import { formatMoney } from '#contract/money.ts';
import type { Plan } from '#contract/projects.ts';
import { listCategories } from '#services/categories/read.ts';
import type { SubmitData } from '../browser/page-data.ts';
import type { LoadPage } from '../page.ts';

/** The form of a submission, which the island `submit` shows. */
export const submitPage: LoadPage = async ({ site }) => {
  const { t, name, settings, fields, lang } = site;
  const { features, layout, limits, plans } = settings;
  const categories = (await listCategories()).body().data.map((one) => ({ slug: one.slug, name: one.name }));
  const priced = plans.map(({ id, price, currency }) => [
    id,
    price === 0 ? t('submit.plan.free') : formatMoney(price, currency, { locale: lang }),
  ]);
  const prices = Object.fromEntries(priced) as Record<Plan, string>;
  return {
    title: t('submit.title'),
    description: t('submit.description', { name }),
    // The search works without its suggestions: with them the form of an edit and its preview would exceed 60 KB.
    islands: ['submit'],
    messages: ['submit.', 'edit.', 'me.rejected', 'me.signedOut', 'project.', 'pricing.', 'field.', 'card.', 'nav.'],
    data: { settings: { features, layout, limits, plans }, fields, categories, name, prices } satisfies SubmitData,
    body: (
      <div class="width page submit-page">
        <h1>{t('submit.title')}</h1>
        <p class="notice no-script">{t('submit.script')}</p>
        <div class="needs-script" data-submit>
          <p class="soft" role="status">
            {t('submit.loading')}
          </p>
        </div>
      </div>
    ),
  };
};
