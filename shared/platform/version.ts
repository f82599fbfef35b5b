import manifest from '../../package.json' with { type: 'json' };

/** The version of the service, as its releases are called. */
export const version: string = manifest.version;
