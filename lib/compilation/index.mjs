// What a compiled function begins with: it runs `function.js` from what V8 made of it beforehand, where this very Node made
// it. V8 compiles as always where it was another one, or what is there does not suit it. Nothing is imported, for the
// reason in lib/bundling/node-modules.ts.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { Script } = process.getBuiltinModule('node:vm');

const pathOf = (name) => `${import.meta.dirname}/${name}`;

// V8 also asks whether Node was started in the same way, of which this is all that differs here.
const start = globalThis.gc ? '-gc' : '';

const readCache = () => {
  try {
    return readFileSync(pathOf(`${process.version}-${process.arch}${start}.cache`));
  } catch {
    return undefined;
  }
};

// Bundles are ASCII. Their first line is the second of `function.js`, so positions are those of the source map.
const script = new Script(readFileSync(pathOf('function.js'), 'latin1'), {
  filename: pathOf('index.mjs'),
  lineOffset: -1,
  cachedData: readCache(),
});

export const { handler } = script.runInThisContext()();
