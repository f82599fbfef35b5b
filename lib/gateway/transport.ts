import { EndpointAccessMode, EndpointType, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import type { Config } from '../config.ts';

/** How a stage is reached: by which kind of endpoint, and which encryption of the way is good enough. */
export interface Transport {
  readonly endpointType: EndpointType;
  readonly securityPolicy: SecurityPolicy;
  /** Connections that name one host and ask for another are refused. */
  readonly endpointAccessMode: EndpointAccessMode;
}

/** TLS 1.2 with keys that are forgotten afterwards, or 1.3; nothing older, whatever the gateway would take by itself. */
const POLICIES: Readonly<Record<Config['api']['endpoint'], SecurityPolicy>> = {
  regional: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  edge: SecurityPolicy.TLS12_PFS_2025_EDGE,
};

/** The transport of a stage's gateways and of its own names for them. */
export const transportOf = ({ api }: Config): Transport => ({
  endpointType: api.endpoint === 'edge' ? EndpointType.EDGE : EndpointType.REGIONAL,
  securityPolicy: POLICIES[api.endpoint],
  endpointAccessMode: EndpointAccessMode.STRICT,
});
