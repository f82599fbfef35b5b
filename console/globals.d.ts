/** Replaced by the build. */
declare const DEVELOPMENT: boolean;

declare module 'world-atlas/countries-110m.json' {
  const topology: import('topojson-specification').Topology;
  // biome-ignore lint/style/noDefaultExport: so JSON is imported.
  export default topology;
}
