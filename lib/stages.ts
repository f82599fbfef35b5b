import type { Config } from './config.ts';

/** Everything about a stage but its name. */
export type StageSettings = Omit<Config, 'stage'>;
export type StageOverrides = Partial<StageSettings>;

/** What a sandbox gets, and every other stage where it says nothing else. It leaves nothing behind. */
export const standard: StageSettings = {
  retain: false,
  protect: false,
  pointInTimeRecovery: false,
  encryption: 'dynamodb',
  logDays: 7,
  logLevel: 'INFO',
  // Processor time grows with memory: small functions are slow functions, above all when they start.
  memoryMb: { request: 512, catalog: 1024, subscriber: 512, publisher: 512 },
  reservedConcurrency: {},
  site: { name: 'Directory (sandbox)', url: 'http://localhost:3000' },
  api: { endpoint: 'regional' },
  allowedOrigins: ['http://localhost:3000'],
  trustedProxies: [],
  duplicateUrls: 'allow',
  payments: { premiumPrice: 4900, currency: 'usd' },
  promotions: { monthlyPrices: {}, places: {} },
  mail: { from: 'no-reply@sandbox.directory.example', identity: 'sandbox.directory.example', createIdentity: false },
  alarms: {},
  adminEmails: [],
  // Nobody has confirmed a sender for it.
  features: { email: false },
  rateLimits: {},
  throttles: {
    general: { ratePerSecond: 200, burst: 400 },
    voting: { ratePerSecond: 50, burst: 100 },
    auth: { ratePerSecond: 20, burst: 40 },
    submission: { ratePerSecond: 20, burst: 40 },
    admin: { ratePerSecond: 50, burst: 100 },
    analytics: { ratePerSecond: 200, burst: 400 },
    comments: { ratePerSecond: 20, burst: 40 },
    none: { ratePerSecond: 50, burst: 100 },
  },
  usagePlans: [{ id: 'Standard', ratePerSecond: 20, burst: 40, requestsPerDay: 100_000, clients: [] }],
  identity: { kind: 'cognito', services: [], mail: 'cognito' },
};

/** The named stages. Replace the example addresses with your own before the first deployment, which is refused with them. */
export const stageOverrides: Readonly<Record<string, StageOverrides>> = {
  dev: {
    pointInTimeRecovery: true,
    archiveDays: 7,
    logDays: 14,
    site: { name: 'Directory (dev)', url: 'https://dev.directory.example' },
    allowedOrigins: ['https://dev.directory.example', 'http://localhost:3000'],
    mail: { from: 'no-reply@dev.directory.example', identity: 'dev.directory.example', createIdentity: true },
    features: {},
    usagePlans: [{ id: 'Standard', ratePerSecond: 20, burst: 40, requestsPerDay: 100_000, clients: ['Sample'] }],
  },
  staging: {
    retain: true,
    pointInTimeRecovery: true,
    archiveDays: 14,
    logDays: 30,
    site: { name: 'Directory (staging)', url: 'https://staging.directory.example' },
    allowedOrigins: ['https://staging.directory.example'],
    mail: { from: 'no-reply@staging.directory.example', identity: 'staging.directory.example', createIdentity: true },
    features: {},
  },
  prod: {
    retain: true,
    protect: true,
    pointInTimeRecovery: true,
    backup: { dailyDays: 35, monthlyDays: 365 },
    archiveDays: 28,
    logDays: 90,
    memoryMb: { request: 1024, catalog: 1769, subscriber: 512, publisher: 512 },
    // What a flood would let eat the runs that readers need. An account must keep 100 that are not reserved, and a new one has
    // few more than these at all: ask for its quota before the first deployment.
    reservedConcurrency: {
      'ai.generate': 10,
      'analytics.countStep': 5,
      'categories.finishChange': 2,
      'mail.tellBuyer': 5,
      'mail.tellSubmitter': 5,
      'projects.exportCsv': 5,
      'projects.finishPurge': 2,
      'projects.importCsv': 2,
      'promotions.endOfProject': 2,
      'users.exportData': 5,
      'users.finishErasure': 2,
      'webhooks.enqueue': 20,
    },
    site: { name: 'Directory', url: 'https://directory.example' },
    allowedOrigins: ['https://directory.example'],
    mail: { from: 'no-reply@directory.example', identity: 'directory.example', createIdentity: true },
    alarms: { email: 'operations@directory.example' },
    features: {},
    throttles: {
      general: { ratePerSecond: 1000, burst: 2000 },
      voting: { ratePerSecond: 200, burst: 400 },
      auth: { ratePerSecond: 50, burst: 100 },
      submission: { ratePerSecond: 50, burst: 100 },
      admin: { ratePerSecond: 100, burst: 200 },
      analytics: { ratePerSecond: 1000, burst: 2000 },
      comments: { ratePerSecond: 100, burst: 200 },
      none: { ratePerSecond: 100, burst: 200 },
    },
    usagePlans: [{ id: 'Standard', ratePerSecond: 50, burst: 100, requestsPerDay: 500_000, clients: [] }],
  },
};
