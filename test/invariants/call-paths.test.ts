import { expect, it } from 'vitest';
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

const paths = callPaths();

it('the call paths in docs/architecture.md begin in a Lambda handler', () => {
  expect(paths.length).toBeGreaterThanOrEqual(3);
  for (const path of paths) expect(path[0]).toMatch(/^functions\//);
});

it.each(paths)('the call paths in docs/architecture.md lead from %s to existing files', (...path) => {
  expect(path.filter((file) => filesIn(file).length === 0)).toEqual([]);
});

it.each(paths)('the call paths in docs/architecture.md lead from %s through imports of the next file', (...path) => {
  const missing = path.slice(0, -1).flatMap((file, index) => {
    const next = path[index + 1] ?? '';
    return importsOf(file).some(({ from }) => from === next) ? [] : [`${file} does not import ${next}`];
  });
  expect(missing).toEqual([]);
});
