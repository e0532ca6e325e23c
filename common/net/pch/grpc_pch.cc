// Owns the precompiled header of grpcpp that every room which speaks gRPC reuses (6 s a file without it).
