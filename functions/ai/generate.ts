import { generate } from '#contract/ai.ts';
import { allCategories } from '#data/categories.ts';
import { generate as haveWritten } from '#domain/ai/generate.ts';
import { handle, ok } from '#http/handle.ts';
import { askModel } from '#platform/model.ts';

const categorySlugs = async () => (await allCategories()).map((category) => category.slug);

export const handler = handle(generate, { categorySlugs, askModel }, async ({ body }, ports) =>
  ok({ data: await haveWritten(ports, body) }),
);
