/** The host of an address for reading, without `www.`; the address itself if it is none. */
export const hostOf = (url: string): string => URL.parse(url)?.host.replace(/^www\./, '') ?? url;
