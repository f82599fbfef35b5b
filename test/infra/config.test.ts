import { describe, expect, it } from 'vitest';
import { configOf } from '#lib/config.ts';
import { standard } from '#lib/stages.ts';

describe('the settings of a stage', () => {
  it.each(['dev', 'staging', 'prod'])('are usable for %s', (stage) => {
    expect(configOf(stage).stage).toBe(stage);
  });

  it('are those of a sandbox that leaves nothing behind for any other name', () => {
    expect(configOf('my-branch')).toMatchObject({ stage: 'my-branch', retain: false, protect: false });
  });

  it.each([undefined, '', 7])('are asked for when the stage is %s', (stage) => {
    expect(() => configOf(stage)).toThrow('npx cdk synth -c stage=dev');
  });

  it.each(['Prod', 'a_b', 'x'.repeat(21), '__proto__'])('are refused for the name %s', (stage) => {
    expect(() => configOf(stage)).toThrow('must begin with a letter');
  });

  it('names every setting that is wrong', () => {
    const wrong = {
      dev: {
        allowedOrigins: ['https://directory.example/app'],
        rateLimits: { voting: 'many' },
        trustedProxies: ['10.0.0.0/99'],
      },
    };
    expect(() => configOf('dev', wrong)).toThrow(
      /stage "dev".*allowedOrigins\.0: must be an origin.*trustedProxies\.0: must be an address range.*rateLimits\.voting: must be count\/seconds/,
    );
  });

  it('refuses to protect what it would not keep', () => {
    expect(() => configOf('dev', { dev: { protect: true, retain: false } })).toThrow('retain: cannot be false');
  });

  it('refuses a sender that its identity does not cover', () => {
    const mail = { from: 'no-reply@other.example', identity: 'directory.example', createIdentity: true };
    expect(() => configOf('dev', { dev: { mail } })).toThrow('mail.identity: must be the sender');
  });

  it('refuses a setting that nobody reads', () => {
    expect(() => configOf('dev', { dev: { ...standard, memory: 1 } as object })).toThrow('memory');
  });

  it('keeps production from being deleted', () => {
    expect(configOf('prod')).toMatchObject({ retain: true, protect: true, pointInTimeRecovery: true });
  });
});
