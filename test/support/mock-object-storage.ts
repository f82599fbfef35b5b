import { vi } from 'vitest';

/** Object storage whose file is what the test makes `readFilePart` return, for the mock of `#platform/object-storage.ts`. */
export const mockObjectStorage = <T>(original: T) => ({
  ...original,
  signUpload: vi.fn(async () => ({ method: 'PUT' as const, url: 'http://localhost/unused', headers: {} })),
  readFilePart: vi.fn(),
  deleteFile: vi.fn(async () => undefined),
});
