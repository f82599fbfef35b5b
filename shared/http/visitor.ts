import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { VisitorSigns } from '#domain/analytics/track.ts';
import { header } from './call.ts';
import { bucketOf } from './client-address.ts';

/** What a request tells about whoever sent it. @param address the caller's, as far as it can be believed. */
export const visitorSigns = (event: APIGatewayProxyEvent, address: string | undefined): VisitorSigns => ({
  network: address === undefined ? undefined : bucketOf(address),
  userAgent: header(event, 'user-agent'),
  country: header(event, 'cloudfront-viewer-country'),
  site: URL.parse(header(event, 'origin') ?? '')?.hostname,
  asksNotToBeTracked: header(event, 'sec-gpc')?.trim() === '1' || header(event, 'dnt')?.trim() === '1',
});
