import { readOpenapi } from '#contract/reference.ts';
import { handle } from '#http/handle.ts';
import { settings } from '#platform/settings.ts';
import { visibleText } from '#shared/openapi/visible.ts';
import document from '../../docs/openapi.json' with { type: 'json' };

// Features change with a restart only, so one text serves the life of the process.
let text: string | undefined;

export const handler = handle(readOpenapi, { settings }, async (_call, ports) => {
  text ??= visibleText(document, ports.settings().features);
  return { status: 200 as const, text };
});
