/** Replaced by the build. */
declare const DEVELOPMENT: boolean;

declare module 'world-atlas/countries-110m.json' {
  const topology: import('topojson-specification').Topology;
  // biome-ignore lint/style/noDefaultExport: so JSON is imported.
  export default topology;
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  /** The part of the viewer that the reference uses. */
  export interface SwaggerUI {
    preauthorizeApiKey(scheme: string, token: string): void;
    readonly authActions: { logout(schemes: readonly string[]): void };
  }

  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default function SwaggerUIBundle(options: Readonly<Record<string, unknown>>): SwaggerUI;
}
