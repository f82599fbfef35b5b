// Stands for a package of the messages' parser in the scripts of browsers: no message has a skeleton such as `{n, number, ::percent}`.

const refuse = (): never => {
  throw new Error('A message has a skeleton.');
};

export const parseDateTimeSkeleton = refuse;
export const parseNumberSkeleton = refuse;
export const parseNumberSkeletonFromString = refuse;
