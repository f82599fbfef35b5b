import { describe, it } from 'vitest';
import { compareWithReference, simulatedDirectories } from './model-comparison.ts';

const QUERIES = Number(process.env.CATALOG_QUERIES ?? 100_000);

describe('the catalog returns the same results as the reference', () => {
  it.each(simulatedDirectories)('in directory $seed of $size projects', { timeout: 1_800_000 }, (directory) => {
    compareWithReference(directory, QUERIES);
  });
});
