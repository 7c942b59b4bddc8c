type AnyFunction = (...args: never) => unknown

/** True where nothing is known of a client's type, so that nothing can be checked in the editor. */
type IsUntyped<Client> = unknown extends Client ? true : false

/** The names of the members of `Owner` that can be called. */
type MethodNames<Owner> = keyof {
  [Name in keyof Owner & string as NonNullable<Owner[Name]> extends AnyFunction ? Name : never]: unknown
}

/** Those of the given tools for which the client has no method of the same name. */
export type WithoutMethod<Client, Tool extends string> =
  IsUntyped<Client> extends true
    ? never
    : Tool extends keyof Client
      ? NonNullable<Client[Tool]> extends AnyFunction
        ? never
        : Tool
      : string extends Tool
        ? never
        : Tool

/**
 * `Path` itself where it leads to a method of the client, else the names that could stand there, so that the editor
 * proposes them and the checker finds the nearest. The path is split as it is written, up to three names; enumerating
 * all paths of a large client costs ten times as much.
 */
export type MethodPath<Client, Path extends string> =
  IsUntyped<Client> extends true ? Path : string extends Path ? Path : NoInfer<Step<Client, Path, '', [1, 1, 1]>>

/** `Left` counts the names that may still come. */
type Step<Owner, Rest extends string, Prefix extends string, Left extends readonly 1[]> = Left extends readonly [
  1,
  ...infer Further extends readonly 1[],
]
  ? IsUntyped<Owner> extends true
    ? `${Prefix}${Rest}`
    : Rest extends `${infer Head}.${infer Tail}`
      ? Head extends keyof Owner
        ? Step<NonNullable<Owner[Head]>, Tail, `${Prefix}${Head}.`, Further>
        : Proposals<Owner, Prefix>
      : Rest extends keyof Owner
        ? NonNullable<Owner[Rest]> extends AnyFunction
          ? `${Prefix}${Rest}`
          : NonNullable<Owner[Rest]> extends object
            ? Proposals<NonNullable<Owner[Rest]>, `${Prefix}${Rest}.`>
            : Proposals<Owner, Prefix>
        : Proposals<Owner, Prefix>
  : 'a method path has at most three names'

type Proposals<Owner, Prefix extends string> = [MethodNames<Owner>] extends [never]
  ? `there is no method at '${Prefix}'`
  : `${Prefix}${MethodNames<Owner>}`
