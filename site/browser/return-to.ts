/**
 * The whole address of a page of this site, to continue on after signing in. An address elsewhere, one that is not of the web, and the
 * page that signs in give the home page: a link must not send a visitor who trusts this site to another one.
 * @param home the path of the home page in the language of this page.
 * @param base what all paths of the site begin with, without a slash at the end.
 */
export const localAddress = (path: string, home: string, base: string, origin: string): string => {
  const start = new URL(home, origin);
  const url = path === '' ? null : URL.parse(path, start.href);
  const isHere = url !== null && url.origin === origin && `${url.pathname}/`.startsWith(`${base}/`);
  const signIn = `${start.pathname.replace(/\/$/, '')}/sign-in`;
  // Whole, because the path alone may begin with two slashes, which name a host.
  return isHere && url.pathname !== signIn ? url.href : start.href;
};
