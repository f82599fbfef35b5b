import type { Notifications } from '#contract/users.ts';
import { type Branding, escapeHtml } from './render.ts';

const names: Readonly<Record<keyof Notifications, string>> = {
  submission_received: 'confirmations of your submissions',
  payment_received: 'confirmations of your payments',
  promotion_ending: 'reminders that a promotion ends',
  weekly_digest: 'the weekly digest',
  follow_digest: 'new listings that you follow',
};

const page = (title: string, content: string, { siteName, siteUrl }: Branding): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} - ${escapeHtml(siteName)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
button { font: inherit; padding: 0.6rem 1.2rem; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
<p><a href="${escapeHtml(siteUrl)}">${escapeHtml(siteName)}</a></p>
</main>
</body>
</html>
`;

/** Asks before it unsubscribes: programs that check the links of mails open them too. */
export const unsubscribePage = (notification: keyof Notifications, branding: Branding): string =>
  page(
    'Unsubscribe',
    `<p>You will no longer get ${names[notification]} by email.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Unsubscribe</button>
</form>`,
    branding,
  );

export const confirmationPage = (notification: keyof Notifications, branding: Branding): string =>
  page(
    'You are unsubscribed',
    `<p>You no longer get ${names[notification]} by email. You can turn them on again in the settings of your account.</p>`,
    branding,
  );
