import {
  Activity,
  CalendarClock,
  ChartLine,
  CreditCard,
  FileUp,
  Flag,
  House,
  Inbox,
  Layers,
  ListChecks,
  type LucideIcon,
  Megaphone,
  MessageSquare,
  Rows3,
  Settings,
  Tags,
  Users,
  Webhook,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { consolePages } from '#contract/console.ts';
import { consolePath } from './location.ts';
import type { Feature } from './session.ts';

/** A page of the console. The navigation, the router, the palette and the shortcuts are derived from the table below. */
export interface PageEntry {
  /** The path below `/console`. */
  readonly path: '/' | `/${(typeof consolePages)[number]}`;
  /** The link in the navigation, the heading and the title of the document. */
  readonly title: string;
  /** Follows `g` in the shortcut. */
  readonly shortcut: string;
  readonly icon: LucideIcon;
  /** Whether moderators may open the page; administrators may open all. */
  readonly moderators: boolean;
  /** The feature that the page is about; while it is off, nothing leads to the page, and its URL says so. */
  readonly feature?: Feature;
  /** Pages of one group stand together. */
  readonly group: 'work' | 'content' | 'business' | 'system';
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
}

/** The URL of a page for links. That of Home is `/console` without a trailing slash. */
export const hrefOf = ({ path }: PageEntry): string => (path === '/' ? `~${consolePath}` : path);

/** The only list of pages, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Home',
    shortcut: 'h',
    icon: House,
    moderators: true,
    group: 'work',
    load: () => import('../pages/home/page.tsx'),
  },
  {
    path: '/queue',
    title: 'Queue',
    shortcut: 'q',
    icon: Inbox,
    moderators: true,
    group: 'work',
    load: () => import('../pages/queue/page.tsx'),
  },
  {
    path: '/listings',
    title: 'Listings',
    shortcut: 'l',
    icon: Rows3,
    moderators: true,
    group: 'content',
    load: () => import('../pages/listings/page.tsx'),
  },
  {
    path: '/categories',
    title: 'Categories',
    shortcut: 'c',
    icon: Tags,
    moderators: false,
    group: 'content',
    load: () => import('../pages/categories/page.tsx'),
  },
  {
    path: '/users',
    title: 'Users',
    shortcut: 'u',
    icon: Users,
    moderators: false,
    group: 'content',
    load: () => import('../pages/users/page.tsx'),
  },
  {
    path: '/comments',
    title: 'Comments',
    shortcut: 'm',
    icon: MessageSquare,
    moderators: true,
    feature: 'comments',
    group: 'content',
    load: () => import('../pages/comments/page.tsx'),
  },
  {
    path: '/reports',
    title: 'Reports',
    shortcut: 'r',
    icon: Flag,
    moderators: true,
    group: 'content',
    load: () => import('../pages/reports/page.tsx'),
  },
  {
    path: '/promotions',
    title: 'Promotions',
    shortcut: 'p',
    icon: Megaphone,
    moderators: false,
    feature: 'promotions',
    group: 'business',
    load: () => import('../pages/promotions/page.tsx'),
  },
  {
    path: '/payments',
    title: 'Payments',
    shortcut: 'y',
    icon: CreditCard,
    moderators: false,
    group: 'business',
    load: () => import('../pages/payments/page.tsx'),
  },
  {
    path: '/analytics',
    title: 'Analytics',
    shortcut: 'a',
    icon: ChartLine,
    moderators: false,
    feature: 'analytics',
    group: 'business',
    load: () => import('../pages/analytics/page.tsx'),
  },
  {
    path: '/imports',
    title: 'Imports',
    shortcut: 'i',
    icon: FileUp,
    moderators: false,
    group: 'system',
    load: () => import('../pages/imports/page.tsx'),
  },
  {
    path: '/batches',
    title: 'Batches',
    shortcut: 'b',
    icon: Layers,
    moderators: false,
    group: 'system',
    load: () => import('../pages/batches/page.tsx'),
  },
  {
    path: '/rules',
    title: 'Rules',
    shortcut: 'e',
    icon: ListChecks,
    moderators: false,
    group: 'system',
    load: () => import('../pages/rules/page.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    shortcut: 'w',
    icon: Webhook,
    moderators: false,
    feature: 'webhooks',
    group: 'system',
    load: () => import('../pages/webhooks/page.tsx'),
  },
  {
    path: '/events',
    title: 'Events',
    shortcut: 'v',
    icon: Activity,
    moderators: false,
    group: 'system',
    load: () => import('../pages/events/page.tsx'),
  },
  {
    path: '/jobs',
    title: 'Jobs',
    shortcut: 'j',
    icon: CalendarClock,
    moderators: false,
    group: 'system',
    load: () => import('../pages/jobs/page.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    shortcut: 's',
    icon: Settings,
    moderators: false,
    group: 'system',
    load: () => import('../pages/settings/page.tsx'),
  },
];
