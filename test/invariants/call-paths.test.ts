import { describe, expect, it } from 'vitest';
import { filesIn, importsOf, read } from './sources.ts';

/** The call paths in docs/architecture.md: numbered lists whose items begin with a file. */
const callPaths = (): string[][] => {
  const section = read('docs/architecture.md').split('\n## Three call paths')[1]?.split('\n## ')[0] ?? '';
  const paths: string[][] = [];
  for (const [, position, file = ''] of section.matchAll(/^(\d+)\. `([\w./-]+)`/gm)) {
    if (position === '1') paths.push([]);
    paths.at(-1)?.push(file);
  }
  return paths;
};

/** From the top layer down. */
const LAYERS = ['functions', 'http', 'services', 'mail', 'data', 'events', 'platform', 'catalog', 'model', 'contract'];

const layerOf = (file: string): number => LAYERS.indexOf(file.replace(/^shared\//, '').split('/')[0] ?? '');

const paths = callPaths();

describe('the call paths in docs/architecture.md', () => {
  it('begin in a Lambda handler', () => {
    expect(paths.length).toBeGreaterThanOrEqual(3);
    for (const path of paths) expect(path[0]).toMatch(/^functions\//);
  });

  it.each(paths)('lead from %s to existing files', (...path) => {
    expect(path.filter((file) => filesIn(file).length === 0)).toEqual([]);
  });

  it.each(paths)('lead from %s through imports of the next file', (...path) => {
    const missing = path.slice(0, -1).flatMap((file, index) => {
      const next = path[index + 1] ?? '';
      return importsOf(file).some(({ from }) => from === next) ? [] : [`${file} does not import ${next}`];
    });
    expect(missing).toEqual([]);
  });

  it.each(paths)('lead from %s downwards only', (...path) => {
    const layers = path.map(layerOf);
    expect(layers.every((layer) => layer >= 0)).toBe(true);
    expect(layers).toEqual(layers.toSorted((one, other) => one - other));
  });
});
