import * as ai from './ai.ts';
import * as analytics from './analytics.ts';
import * as audit from './audit.ts';
import * as categories from './categories.ts';
import * as comments from './comments.ts';
import * as cron from './cron.ts';
import * as events from './events.ts';
import * as health from './health.ts';
import * as payments from './payments.ts';
import * as projects from './projects.ts';
import * as promotions from './promotions.ts';
import * as ratings from './ratings.ts';
import * as reference from './reference.ts';
import * as reports from './reports.ts';
import type { Route } from './route.ts';
import * as settings from './settings.ts';
import * as users from './users.ts';
import * as votes from './votes.ts';
import * as webhooks from './webhooks.ts';

/**
 * Every route of the service. The gateway, its functions and their permissions, the local server, the OpenAPI document,
 * the typed client and the laws are derived from it. A function never imports it: it would carry every schema along.
 */
export const table = {
  projects: {
    list: projects.list,
    map: projects.map,
    submit: projects.submit,
    read: projects.read,
    update: projects.update,
    remove: projects.remove,
    resubmit: projects.resubmit,
    mine: projects.mine,
    browse: projects.browse,
    exportCsv: projects.exportCsv,
    importCsv: projects.importCsv,
    bulk: projects.bulk,
    approve: projects.approve,
    reject: projects.reject,
    edit: projects.edit,
    purge: projects.purge,
  },
  votes: { toggle: votes.toggle, cast: votes.cast, withdraw: votes.withdraw },
  comments: { list: comments.list, add: comments.add, update: comments.update, remove: comments.remove },
  ratings: { rate: ratings.rate, remove: ratings.remove },
  categories: {
    list: categories.list,
    read: categories.read,
    create: categories.create,
    reorder: categories.reorder,
    update: categories.update,
    remove: categories.remove,
  },
  users: {
    readProfile: users.readProfile,
    updateProfile: users.updateProfile,
    readSettings: users.readSettings,
    updateSettings: users.updateSettings,
    votes: users.votes,
    exportData: users.exportData,
    erase: users.erase,
    list: users.list,
    update: users.update,
  },
  settings: {
    readPublic: settings.readPublic,
    readThemeCss: settings.readThemeCss,
    readLayout: settings.readLayout,
    updateLayout: settings.updateLayout,
    readTheme: settings.readTheme,
    updateTheme: settings.updateTheme,
    readMap: settings.readMap,
    updateMap: settings.updateMap,
  },
  events: { list: events.list },
  webhooks: {
    stripe: payments.stripe,
    list: webhooks.list,
    create: webhooks.create,
    read: webhooks.read,
    update: webhooks.update,
    remove: webhooks.remove,
    rotate: webhooks.rotate,
    test: webhooks.test,
    listDeliveries: webhooks.listDeliveries,
    replay: webhooks.replay,
  },
  reports: { file: reports.file, list: reports.list, settle: reports.settle },
  ai: { generate: ai.generate },
  analytics: { track: analytics.track, report: analytics.report, projectReport: analytics.projectReport },
  audit: { list: audit.list },
  payments: { startCheckout: payments.startCheckout, readCheckout: payments.readCheckout, list: payments.list },
  promotions: {
    list: promotions.list,
    addImpression: promotions.addImpression,
    addClick: promotions.addClick,
    mine: promotions.mine,
    update: promotions.update,
    browse: promotions.browse,
    grant: promotions.grant,
    administer: promotions.administer,
  },
  cron: {
    expirePromotions: cron.expirePromotions,
    expirePromotionsByGet: cron.expirePromotionsByGet,
    purgeDeleted: cron.purgeDeleted,
    purgeDeletedByGet: cron.purgeDeletedByGet,
    rollUpAnalytics: cron.rollUpAnalytics,
    rollUpAnalyticsByGet: cron.rollUpAnalyticsByGet,
    refreshTrending: cron.refreshTrending,
    refreshTrendingByGet: cron.refreshTrendingByGet,
    snapshotCatalog: cron.snapshotCatalog,
    snapshotCatalogByGet: cron.snapshotCatalogByGet,
    retryWebhooks: cron.retryWebhooks,
    retryWebhooksByGet: cron.retryWebhooksByGet,
    reconcileCounters: cron.reconcileCounters,
    reconcileCountersByGet: cron.reconcileCountersByGet,
    reconcilePayments: cron.reconcilePayments,
    reconcilePaymentsByGet: cron.reconcilePaymentsByGet,
    weeklyDigest: cron.weeklyDigest,
    weeklyDigestByGet: cron.weeklyDigestByGet,
    checkLinks: cron.checkLinks,
    checkLinksByGet: cron.checkLinksByGet,
  },
  health: { read: health.read },
  reference: { readOpenapi: reference.readOpenapi },
} as const satisfies Record<string, Record<string, Route>>;

/** All routes in the order of the reference. */
export const routes: readonly Route[] = Object.values(table).flatMap((domain) => Object.values(domain) as Route[]);

/** The file behind the id of a route, subscription or job, without its ending: `projects.exportCsv` is `projects/export-csv`. */
export const doorOf = (id: string): string =>
  id.replace('.', '/').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The id that the door of a route is found by: its own, unless it shares one. */
export const doorIdOf = (route: Pick<Route, 'id' | 'door'>): string => route.door ?? route.id;
