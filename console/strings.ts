import { counted, formatNumber } from './format.ts';

/** The texts of the shell, of the components, and of more than one page. Those of a page stand beside it; names of pages are in `app/pages.ts`. */
export const product = 'Directory';
export const title = (page: string) => `${page} · Console`;

export const errors = {
  unexpected: (status: number) => (status === 0 ? 'Something went wrong.' : `The service answered ${status}.`),
  unreachable: 'The service cannot be reached. Your input is kept; try again.',
  heading: 'This could not be loaded',
  render: 'This page failed',
  otherUser: 'Another user signed in, so this was not sent.',
  invalid: 'Some fields are not valid.',
} as const;

export const actions = {
  approve: 'Approve',
  reject: 'Reject',
  edit: 'Edit',
  skip: 'Skip',
  undo: 'Undo',
  revert: 'Revert',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  delete: 'Delete',
  restore: 'Restore',
  retry: 'Retry',
  dryRun: 'Dry run',
  export: 'Export',
  open: 'Open',
  clear: 'Clear selection',
  dismiss: 'Dismiss',
  signOut: 'Sign out',
  counted: (action: string, count: number) => `${action} ${count}`,
  moveUp: 'Move up',
  moveDown: 'Move down',
} as const;

export const states = {
  loading: 'Loading',
  forbidden: 'Not for your role',
  forbiddenText: 'Your account does not have the right to see this. An administrator can change your role.',
  adminsOnly: 'Only administrators can open this page.',
  toHome: 'Back to Home',
  notFound: 'Not found',
  noPage: 'No page has this address',
  notFoundText: 'It may have been deleted, or the URL is wrong.',
  featureOff: 'Not switched on',
  featureOffText: (feature: string) =>
    `The feature ${feature} is off. It is switched in the environment of the service.`,
  offline: 'Offline. Work continues when the service can be reached again.',
  unsent: (count: number) =>
    count === 0 ? '' : `${count === 1 ? '1 change waits' : `${count} changes wait`} to be sent; keep this window open.`,
  notRefreshed: 'This could not be refreshed. It shows the state of',
  notLoaded: (part: string) => `${part} could not be loaded.`,
  parts: { categories: 'The categories', replies: 'The saved replies', fields: 'The field definitions' },
  waiting: (seconds: number) => `Too many requests. Continuing in ${seconds} s.`,
} as const;

export const unsaved = {
  title: 'Discard unsaved changes?',
  text: 'What you typed here has not been saved.',
  stay: 'Keep editing',
  leave: 'Discard',
} as const;

export const signIn = {
  heading: 'Sign in to the console',
  what: 'Here administrators and moderators decide about submissions and look after the directory.',
  as: (role: string) => `Sign in as ${role}`,
  local: 'Only on this machine: the local issuer signs in without a password.',
  atIssuer: 'Sign in',
  at: (host: string) => `You will be sent to ${host} and come back here.`,
  blocked: 'The browser blocked the window for signing in. Allow it for this page, and try again.',
  elsewhere: 'You are signed in in the other window. You can close this one.',
  expired: 'Your session has ended',
  expiredText: 'Sign in again. This page and your input stay as they are.',
  signedInAs: 'Signed in as',
  noRole: 'This account cannot use the console',
  noRoleText: 'The console is for administrators and moderators. Ask an administrator to change your role.',
  adminsOnlyText: 'Moderators are switched off on this service. Only administrators can use the console.',
} as const;

export const search = {
  relaxed: 'No listing has every word. These have at least half of them.',
  didYouMean: (q: string) => `Did you mean “${q}”?`,
} as const;

export const shell = {
  navigation: 'Pages',
  menu: 'Menu',
  skip: 'Skip to content',
  palette: 'Go to',
  paletteHint: 'Pages, listings and users; > for actions',
  recent: 'Opened before',
  category: 'Category',
  paletteEmpty: 'Nothing matches.',
  shortcuts: 'Keyboard shortcuts',
  shortcutsOn: 'Single keys are shortcuts',
  everywhere: 'Everywhere',
  here: 'On this page',
  goTo: (page: string) => `Go to ${page}`,
  showPalette: 'Open the palette',
  showShortcuts: 'Show all shortcuts',
  undo: 'Undo the last action',
  submit: 'Save or confirm the form',
  images: 'Show images of listings',
  display: 'Display',
  theme: 'Theme',
  themes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
  groups: { work: 'Moderation', content: 'Directory', business: 'Business', system: 'System' },
  roles: { admin: 'Administrator', moderator: 'Moderator', user: 'User' },
} as const;

export const table = {
  selectAll: 'Select all on this page',
  select: (name: string) => `Select ${name}`,
  next: 'Next row',
  previous: 'Previous row',
  openRow: 'Open the row',
  selectRow: 'Select the row',
  sortBy: (column: string) => `Sort by ${column}`,
  range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
  page: 'Page',
  ofPages: (count: string) => `of ${count}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  more: 'Load more',
  selected: (count: number) => `${formatNumber(count)} selected`,
  columns: 'Columns',
} as const;

export const fields = {
  q: 'Search',
  search: 'Focus the search',
  none: 'None',
  all: 'All',
  empty: 'Empty',
  yes: 'Yes',
  no: 'No',
  remove: (value: string) => `Remove ${value}`,
  filter: (name: string) => `the filter ${name}`,
  pickHint: 'Name or ID',
  listHint: 'Press Enter after each entry.',
  optional: 'optional',
  closed: 'closed',
} as const;

export const weekdays = {
  mo: 'Monday',
  tu: 'Tuesday',
  we: 'Wednesday',
  th: 'Thursday',
  fr: 'Friday',
  sa: 'Saturday',
  su: 'Sunday',
} as const;

export const hours = {
  add: 'Add opening hours',
  remove: 'Remove opening hours',
  zone: 'Time zone',
  from: (day: string) => `${day} from`,
  until: (day: string) => `${day} until`,
  addSpan: (day: string) => `Add hours on ${day}`,
  removeSpan: (day: string, number: number) => `Remove hours ${number} of ${day}`,
  copyMonday: 'Copy Monday to Friday',
  closedDates: 'Closed on',
  closedHint: 'Dates such as 2026-12-24. Press Enter after each.',
} as const;

export const merge = {
  heading: 'Changed by someone else',
  text: 'This was changed after you opened it. Choose for each field what to keep.',
  mine: 'Mine',
  theirs: 'Theirs',
} as const;

export const status = { live: 'Live', pending: 'Pending', rejected: 'Rejected', deleted: 'Deleted' } as const;
export const pricing = { free: 'Free', freemium: 'Freemium', paid: 'Paid' } as const;
export const reportStatus = { open: 'Open', resolved: 'Resolved', dismissed: 'Dismissed' } as const;
export const plan = { standard: 'Standard', premium: 'Premium' } as const;

export const listing = {
  noCategories: 'No category',
  place: 'Place',
  map: 'Map. Click to set the coordinates.',
  saved: (name: string) => `Saved ${name}.`,
  own: 'This is your own listing. Another moderator or an administrator decides about it and edits it.',
  failed: (count: number, message: string) => `${formatNumber(count)} could not be changed: ${message}`,
  save: 'Save the listing',
  unsaved: (count: number) => counted(count, 'unsaved change'),
  imageOf: (url: string) => `Image at ${url}`,
  noImage: (url: string) => `There is no image at ${url}.`,
  publicPage: 'Visit the site',
  submitted: 'Submitted',
} as const;

export const batch = {
  states: { running: 'Running', done: 'Done', failed: 'Failed', cancelled: 'Cancelled', reverted: 'Reverted' },
  outcomes: { created: 'Created', updated: 'Updated', skipped: 'Skipped', failed: 'Failed' },
  beingReverted: 'Being reverted',
  progress: 'Progress of the revert',
  revertedSoFar: (done: string, total: string) => `${done} of ${total} reverted`,
  revertTitle: (count: number) => `Revert ${counted(count, 'listing')}?`,
  revertText:
    'Listings that this batch created are deleted, and fields that it changed get their earlier values. What was changed, voted on, commented on or paid since is kept. A revert cannot be reverted.',
  reverted: (reverted: number, kept: number) => `Reverted ${formatNumber(reverted)}, kept ${formatNumber(kept)}.`,
  reverting: 'The revert continues in the background.',
} as const;

export const user = {
  erasedUser: 'erased user',
  oneUser: 'a user',
  makeAdmin: 'Make administrator',
  makeAdminTitle: (name: string) => `Make ${name} an administrator?`,
  makeAdminText:
    'Administrators change and delete everything, see payments and email addresses, and can take your own rights away.',
  service: 'the service',
} as const;

/** Says of a day, or of the label of days, that they are UTC days. */
export const inUtc = (text: string): string => `${text} (UTC)`;

export const chart = {
  table: 'Show as table',
  date: 'Date (UTC)',
  highest: (value: string) => `highest day ${value}`,
  noneBefore: 'none in the 30 days before',
  change: (percent: string, before: string) => `${percent}, ${before} in the 30 days before`,
} as const;

export const secret = {
  once: 'This is shown once. Store it now; it cannot be read again.',
  copy: 'Copy',
  copied: 'Copied',
  stored: 'I have stored it',
} as const;
