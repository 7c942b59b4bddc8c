/** Anything that answers a request; what layers wrap. */
export type Service<in Request, out Response> = (request: Request) => Promise<Response>
