import { describe, expect, it } from 'vitest';
import { filesIn, importsOf } from './sources.ts';

/**
 * Who may know whom. Dependencies point inward: doors know the domain, the domain knows the contract, the contract knows
 * nobody. Types count as well, for what a file cannot name it cannot come to rely on.
 */
interface Layer {
  readonly files: readonly string[];
  readonly may: RegExp;
}

const layers: Readonly<Record<string, Layer>> = {
  contract: { files: ['shared/contract/**/*.ts'], may: /^(?:zod$|shared\/contract\/|shared\/errors\.ts$)/ },
  errors: { files: ['shared/errors.ts'], may: /^(?!)/ },
  catalog: {
    files: ['shared/catalog/**/*.ts'],
    may: /^(?:shared\/(?:catalog|contract)\/|shared\/errors\.ts$|shared\/domain\/(?:projects|categories)\/)/,
  },
  domain: {
    files: ['shared/domain/**/*.ts'],
    may: /^(?:(?!@aws|@middy|@smithy|aws-|node:|stripe$)[@a-z][\w/.-]*$)(?<!\.ts)|^shared\/(?:domain|contract|mail|csv)\/|^shared\/(?:errors|events\/catalogue|catalog\/types)\.ts$/,
  },
  csv: {
    files: ['shared/csv/**/*.ts'],
    may: /^(?:csv-parse|csv-stringify|zod)(?:\/|$)|^shared\/(?:csv|contract)\/|^shared\/errors\.ts$/,
  },
  mail: {
    files: ['shared/mail/**/*.ts'],
    may: /^shared\/(?:mail|contract|domain)\/|^shared\/(?:errors|events\/catalogue)\.ts$/,
  },
  platform: {
    files: ['shared/platform/**/*.ts'],
    may: /^(?!shared\/|functions\/|lib\/|local\/|test\/|scripts\/|bin\/)|^shared\/(?:platform|contract)\/|^shared\/errors\.ts$/,
  },
  data: {
    files: ['shared/data/**/*.ts'],
    may: /^(?!shared\/(?:http|ports)\/|functions\/|lib\/|local\/|test\/|scripts\/|bin\/|@middy)/,
  },
  ports: {
    files: ['shared/ports/**/*.ts'],
    may: /^(?:node:timers\/promises$|shared\/(?:ports|data|platform|domain|contract|mail)\/)/,
  },
  http: {
    files: ['shared/http/**/*.ts'],
    may: /^(?!shared\/ports\/|functions\/|lib\/|local\/|test\/|scripts\/|bin\/)/,
  },
  shared: {
    files: ['shared/**/*.ts'],
    may: /^(?!functions\/|lib\/|local\/|test\/|scripts\/|bin\/|aws-cdk-lib|constructs)/,
  },
  functions: { files: ['functions/**/*.ts'], may: /^(?!lib\/|local\/|test\/|scripts\/|bin\/|@aws-sdk)/ },
  lib: { files: ['lib/**/*.ts', 'bin/**/*.ts'], may: /^(?!local\/|test\/|functions\/)/ },
  local: { files: ['local/**/*.ts'], may: /^(?!test\/|bin\/|aws-cdk-lib|constructs)/ },
};

describe('layers', () => {
  it.each(Object.entries(layers))('%s imports only what it may', (_, { files, may }) => {
    const wrong = filesIn(...files).flatMap((file) =>
      importsOf(file).flatMap(({ from }) => (may.test(from) ? [] : [`${file} imports ${from}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('imports from packages name packages that exist in the manifest', async () => {
    const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
    const shipped = Object.keys(manifest.dependencies);
    const typesOnly = ['aws-lambda'];
    const wrong = filesIn('shared/**/*.ts', 'functions/**/*.ts').flatMap((file) =>
      importsOf(file).flatMap(({ from, typeOnly }) => {
        const isPackage = /^@?[a-z]/.test(from) && !/\.(?:ts|json)$/.test(from) && !from.startsWith('node:');
        const name = from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/');
        return !isPackage || shipped.includes(name) || (typeOnly && typesOnly.includes(name))
          ? []
          : [`${file} imports ${from}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
