import { openReference } from '#contract/console.ts';
import { handle } from '#http/handle.ts';
import { referencePage } from '#services/console/read.ts';

export const handler = handle(openReference, async () => ({ status: 200 as const, ...(await referencePage()) }));
