package main

// want is the output.
const want = `azcore                             before                                          after                                           requests
  create and wait                  alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  an operation that fails          it failed: QuotaExceeded                        it failed: QuotaExceeded                        4, the same
  a reconciler's turns             alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  a token resumed                  alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  azcore's token resumed           alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  a generated client's operation   alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  a listing                        alpha beta delta epsilon gamma                  alpha beta delta epsilon gamma                  3 and 3
  a request that is retried        alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        7, the same
  a header on every request        alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  progress                         Accepted 33%, Provisioning 66%, Succeeded 100%  Accepted 0%, Accepted 33%, Provisioning 66%, …  5, the same
  an operation canceled            it failed: Canceled                             it failed: Canceled                             3, the same
  an operation of one's own kind   alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        3, the same
  its token resumed                alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        3, the same
  a page of HTML in between        error: invalid character '<' looking for begi…  alpha, size 1, Succeeded                        3 and 6
  a status that is published late  it failed, or a request did: NotFound           it is there                                     2 and 6

  a listing: a link is asked for as the service wrote it; encoded anew, a signed one may not be good any more
  a page of HTML in between: a status that cannot be read is no ending; the wait goes on, within a patience
  a status that is published late: a 404 is borne for 5 minutes and 3 reads: the operation had been accepted

go-azure-sdk                    before                                          after                                           requests
  create, wait and read         alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  an operation that fails       it failed: the Azure API returned the followi…  it failed: QuotaExceeded                        4, the same
  delete and wait               deleted                                         deleted                                         2 and 2
  a reconciler's turns          it failed                                       it failed: QuotaExceeded                        2 and 2
  a listing with a predicate    delta                                           delta                                           3 and 3
  a request that is retried     alpha, size 9, Succeeded                        alpha, size 9, Succeeded                        3, the same
  headers                       alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        5, the same
  progress                      Accepted 33%, Provisioning 66%, Succeeded 100%  Accepted 0%, Accepted 33%, Provisioning 66%, …  4 and 5
  an operation canceled         it was canceled: the Azure API returned the f…  it was canceled                                 3, the same
  success that comes too early  alpha, size 1, Succeeded                        alpha, size 1, Succeeded                        7, the same
  a page of HTML in between     error: internal-error: polling support for th…  alpha, size 1, Succeeded                        3 and 6

  delete and wait: the operation is asked and not the resource, so that a deletion that fails is an error
  a reconciler's turns: the operation is asked and not the resource, which does not say why it failed
  a listing with a predicate: a link is asked for as the service wrote it; encoded anew, a signed one may not be good any more
  progress: the widget has been read too, as after every creation
  a page of HTML in between: a status that cannot be read is no ending; the wait goes on, within a patience

`
