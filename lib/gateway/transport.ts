import { EndpointAccessMode, EndpointType, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import type { Config } from '#lib/config/schema.ts';

/** Endpoint type and TLS policy of a stage. */
export interface Transport {
  readonly endpointType: EndpointType;
  readonly securityPolicy: SecurityPolicy;
  /** STRICT rejects connections whose SNI host differs from the Host header. */
  readonly endpointAccessMode: EndpointAccessMode;
}

/** TLS 1.2 with forward secrecy or TLS 1.3. */
const POLICIES: Readonly<Record<Config['api']['endpoint'], SecurityPolicy>> = {
  regional: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  edge: SecurityPolicy.TLS12_PFS_2025_EDGE,
};

/** The transport of a stage's gateways and custom domains. */
export const transportOf = ({ api }: Config): Transport => ({
  endpointType: api.endpoint === 'edge' ? EndpointType.EDGE : EndpointType.REGIONAL,
  securityPolicy: POLICIES[api.endpoint],
  endpointAccessMode: api.accessMode === 'basic' ? EndpointAccessMode.BASIC : EndpointAccessMode.STRICT,
});
