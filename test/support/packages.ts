import type { Metafile } from 'esbuild';
import { handlerIdOf, routes } from '#contract/table.ts';
import { bundleOutput } from '#lib/bundle.ts';
import type { HandlerFile } from '#lib/handlers.ts';

/** The packages that functions use at run time, with the functions that use them. */

const routesOf = ({ id }: HandlerFile) => routes.filter((route) => handlerIdOf(route) === id);

const usesTable = ({ permissions, ...handler }: HandlerFile): boolean =>
  permissions.some((permission) => permission.startsWith('table:')) ||
  // The rate counter is in the table.
  routesOf({ permissions, ...handler }).some(({ tier }) => tier !== 'none');

const permits =
  (...names: readonly HandlerFile['permissions'][number][]) =>
  ({ permissions }: HandlerFile): boolean =>
    names.some((name) => permissions.includes(name));

interface RuntimePackage {
  readonly isUsedBy: (handler: HandlerFile) => boolean;
  /** Whether no other function contains it. */
  readonly isExclusive: boolean;
}

export const runtimePackages: Readonly<Record<string, RuntimePackage>> = {
  '@aws-sdk/client-dynamodb': { isUsedBy: usesTable, isExclusive: false },
  '@aws-sdk/lib-dynamodb': { isUsedBy: usesTable, isExclusive: false },
  '@aws-sdk/client-eventbridge': { isUsedBy: permits('bus', 'health'), isExclusive: true },
  '@aws-sdk/client-ses': { isUsedBy: permits('mail'), isExclusive: true },
  stripe: { isUsedBy: permits('stripe'), isExclusive: true },
  '@middy/core': { isUsedBy: ({ id }) => id !== 'identity.addClaims', isExclusive: false },
  '@middy/http-json-body-parser': {
    isUsedBy: (handler) =>
      routesOf(handler).some(({ body, bodyKind }) => body !== undefined && bodyKind !== 'multipart'),
    isExclusive: false,
  },
  'aws-jwt-verify': {
    isUsedBy: (handler) => routesOf(handler).some(({ auth }) => ['user', 'optional', 'admin'].includes(auth)),
    isExclusive: false,
  },
  zod: { isUsedBy: (handler) => routesOf(handler).length > 0, isExclusive: false },
};

/** Whether a bundle contains code of a package; imports of types and unused exports leave none. */
const contains = (bundles: Metafile, handler: HandlerFile, name: string): boolean =>
  Object.entries(bundleOutput(bundles, handler).inputs).some(
    ([file, { bytesInOutput }]) => bytesInOutput > 0 && file.startsWith(`node_modules/${name}/`),
  );

/** What bundles have that differs from `runtimePackages`, as sentences. */
export const misplacedPackages = (bundles: Metafile, handlers: readonly HandlerFile[]): string[] =>
  Object.entries(runtimePackages).flatMap(([name, { isUsedBy, isExclusive }]) =>
    handlers.flatMap((handler) => {
      const [isUsed, isContained] = [isUsedBy(handler), contains(bundles, handler, name)];
      if (isUsed && !isContained) return [`${handler.id} uses ${name} and does not contain it`];
      return isExclusive && isContained && !isUsed ? [`${handler.id} contains ${name} and does not use it`] : [];
    }),
  );
