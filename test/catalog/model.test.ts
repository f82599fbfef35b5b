import { describe, it } from 'vitest';
import { compareWithReference, simulatedDirectories } from './model-comparison.ts';

const QUERIES = 2500;

/** The short version of model.full.test.ts. */
describe('the catalog returns the same results as the reference', () => {
  it.each(simulatedDirectories)('in directory $seed of $size projects', { timeout: 300_000 }, (directory) => {
    compareWithReference(directory, QUERIES);
  });
});
