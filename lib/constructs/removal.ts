import { RemovalPolicy } from 'aws-cdk-lib';
import type { Config } from '../config.ts';

/** What becomes of resources when their stack goes, or they go out of it. */

/**
 * Of what is kept in stages that retain. It is kept also where the deployment that makes it is rolled back: a deletion
 * that its own protection refuses would leave the stack stuck. So it must not have a name that a second one would need.
 */
export const removalOf = ({ retain }: Pick<Config, 'retain'>): RemovalPolicy =>
  retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/**
 * Of what is kept as well, but is nothing yet when it has just been made. It goes where the deployment that makes it is
 * rolled back, so that the next attempt does not find its name taken.
 */
export const removalOnceDeployed = ({ retain }: Pick<Config, 'retain'>): RemovalPolicy =>
  retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
