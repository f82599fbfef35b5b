import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.ts';

/** Checks that the paths which documents cite in backticks exist, so that a moved file leaves no dead reference. */

const documents = ['*.md', 'docs/**/*.md', '.github/**/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: (name) => name.includes('node_modules') }),
);

const TOP = ['bin', 'lib', 'functions', 'shared', 'local', 'test', 'bench', 'scripts', 'docs', '.ci', '.github'];

/** True for `shared/http/middleware.ts`; false for `/api/projects`, `docs/<name>.md` and `a/b`. */
const isRepositoryPath = (cited: string): boolean =>
  /^[\w.@-]+(?:\/[\w.@*-]+)*\/?$/.test(cited) && cited.includes('/') && TOP.includes(cited.split('/')[0] ?? '');

const exists = (path: string): boolean =>
  path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));

let missing = 0;
for (const document of documents) {
  readFileSync(join(root, document), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const links = [...line.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, target = '']) =>
        join(document, '..', target),
      );
      const quoted = [...line.matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path).filter(isRepositoryPath);
      for (const path of [...quoted, ...links]) {
        if (exists(path)) continue;
        missing += 1;
        console.error(`${document}:${index + 1} refers to ${path}, which does not exist.`);
      }
    });
}
console.log(`${documents.length} documents, ${missing} broken references.`);
if (missing > 0) process.exitCode = 1;
