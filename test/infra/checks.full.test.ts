import { expect, it } from 'vitest';
import type { Config } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { everything, findingsOf, withCdn } from './synthesized.ts';

const dev = configOf('dev');
const prod = configOf('prod');
const branch = configOf('branch-9');

/** One configuration per optional part of the infrastructure. */
const configurations: Readonly<Record<string, Config>> = {
  dev,
  staging: configOf('staging'),
  prod,
  'a sandbox': branch,
  'prod with every optional feature': everything,
  'an encryption key of its own': { ...prod, encryption: 'customer' },
  'an alarm address': { ...prod, alarms: { email: 'operations@directory.example' } },
  'a domain with a certificate validated by DNS': {
    ...dev,
    api: {
      endpoint: 'regional',
      domain: {
        name: 'api.directory.example',
        keyedName: 'clients.directory.example',
        hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' },
      },
    },
  },
  'an edge endpoint': {
    ...dev,
    api: {
      endpoint: 'edge',
      domain: { name: 'api.directory.example', certificateParameter: '/directory/dev/certificate' },
    },
  },
  'CloudFront at its default address': { ...dev, site: { ...dev.site, cdn: { originKey: 1 } } },
  'CloudFront with a domain': withCdn,
  'a web ACL': {
    ...dev,
    api: { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules: true } },
  },
  ...Object.fromEntries(
    ['eu.anthropic.claude-v1:0', 'us-gov.amazon.nova-lite-v1:0', 'global.amazon.nova-2-lite-v1:0'].map((model) => [
      `the inference profile ${model}`,
      { ...branch, ai: { model } },
    ]),
  ),
};

it.each(Object.entries(configurations))(
  'cdk-nag and the schemas of CloudFormation have no finding in a stage with %s',
  (_, config) => {
    expect(findingsOf(config)).toEqual([]);
  },
);
