import { RemovalPolicy } from 'aws-cdk-lib';
import type { Config } from '#lib/config/schema.ts';

/**
 * The removal policy of stateful resources. A retained resource is kept even when the deployment that creates it is
 * rolled back, because its deletion protection would block the rollback. Such a resource must not have a fixed name.
 */
export const removalPolicyFor = ({ retain }: Pick<Config, 'retain'>): RemovalPolicy =>
  retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/**
 * The removal policy of retained resources that are empty when new. They are deleted when the deployment that creates
 * them is rolled back, so that the next attempt can use their name.
 */
export const removalPolicyOnceDeployed = ({ retain }: Pick<Config, 'retain'>): RemovalPolicy =>
  retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
