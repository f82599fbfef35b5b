import type { StageOverrides, StageSettings } from '#lib/config/schema.ts';

/** The settings of a sandbox, and the defaults of the named stages. Nothing is retained when its stacks are deleted. */
export const standard: StageSettings = {
  retain: false,
  protect: false,
  pointInTimeRecovery: false,
  encryption: 'dynamodb',
  feedShards: 1,
  logDays: 7,
  logLevel: 'INFO',
  // CPU is allocated in proportion to memory, so less memory means slower functions and cold starts.
  memoryMb: { request: 512, catalog: 1024, subscriber: 512, publisher: 512 },
  reserveConcurrency: false,
  itemConditions: true,
  site: { name: 'Directory (sandbox)', url: 'http://localhost:3000' },
  api: { endpoint: 'regional' },
  allowedOrigins: ['http://localhost:3000'],
  trustedProxies: [],
  duplicateUrls: 'allow',
  searchLongDescriptions: false,
  liveEdits: 'immediate',
  verifiedEmailRequired: 'none',
  payments: { premiumPrice: 4900, currency: 'usd' },
  promotions: { monthlyPrices: {}, slots: {} },
  mail: { from: 'no-reply@sandbox.directory.example', identity: 'sandbox.directory.example', createIdentity: false },
  alarms: {},
  adminEmails: [],
  // A sandbox has no verified sender.
  features: { email: false },
  rateLimits: {},
  throttles: {
    general: { ratePerSecond: 200, burst: 400 },
    voting: { ratePerSecond: 50, burst: 100 },
    auth: { ratePerSecond: 20, burst: 40 },
    submission: { ratePerSecond: 20, burst: 40 },
    analytics: { ratePerSecond: 200, burst: 400 },
    comments: { ratePerSecond: 20, burst: 40 },
    none: { ratePerSecond: 50, burst: 100 },
  },
  usagePlans: [{ id: 'Standard', ratePerSecond: 20, burst: 40, requestsPerDay: 100_000, clients: [] }],
  identity: { kind: 'cognito', services: [], mail: 'cognito' },
};

/** The named stages. Replace the example addresses before the first deployment, which is rejected with them. */
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
    feedShards: 4,
    // Ten partitions: after a deployment all processes load the catalog at once.
    warmThroughput: { readUnitsPerSecond: 30_000, writeUnitsPerSecond: 10_000 },
    archiveDays: 28,
    logDays: 90,
    memoryMb: { request: 1024, catalog: 1769, subscriber: 512, publisher: 512 },
    // Limits functions that could exhaust the concurrency that reads need. Lambda requires 100 unreserved executions per
    // account, and new accounts may have a lower quota than the sum: request an increase before the first deployment.
    reserveConcurrency: true,
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
      analytics: { ratePerSecond: 1000, burst: 2000 },
      comments: { ratePerSecond: 100, burst: 200 },
      none: { ratePerSecond: 100, burst: 200 },
    },
    usagePlans: [{ id: 'Standard', ratePerSecond: 50, burst: 100, requestsPerDay: 500_000, clients: [] }],
  },
};
