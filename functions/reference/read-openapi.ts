import { readOpenapi } from '#contract/reference.ts';
import { handle } from '#http/handle.ts';
import { settings } from '#platform/settings.ts';
import { visibleText } from '#shared/openapi/visible.ts';
import document from '../../docs/openapi.json' with { type: 'json' };

// Features change only with a restart, so the text is constant.
let text: string | undefined;

export const handler = handle(readOpenapi, async () => {
  text ??= visibleText(document, settings().features);
  return { status: 200 as const, text };
});
